#include "warc/uri_host.h"

#include <string.h>

nd_span nd_uri_host(nd_span uri) {
    size_t begin = 0;
    while (begin < uri.length && uri.bytes[begin] != ':') begin++;
    if (uri.length - begin < 3 || memcmp(uri.bytes + begin, "://", 3) != 0) return (nd_span){0};
    begin += 3;
    size_t end = begin;
    for (; end < uri.length && !strchr("/?#", uri.bytes[end]); end++)
        if (uri.bytes[end] == '@') begin = end + 1;
    size_t port = end;
    while (port > begin && uri.bytes[port - 1] >= '0' && uri.bytes[port - 1] <= '9') port--;
    if (port > begin && uri.bytes[port - 1] == ':') end = port - 1;
    return (nd_span){uri.bytes + begin, end - begin};
}
