/* The clusters of a stream as sections of a sealed file, tags 1 to 7 (doc/internals/formats.md,
 * "Streams"). */
#ifndef ND_STREAM_CLUSTERS_FILE_H
#define ND_STREAM_CLUSTERS_FILE_H

#include "storage/sealed_file.h"
#include "stream/leader_clusters.h"

/* Writes the whole state. */
nd_status nd_clusters_save(const nd_clusters *clusters, nd_sealed_writer *file, nd_error *error);

/* REQUIRES: the clusters are new, with the same settings. ND_ERR_CORRUPT: numbers that do not fit
 * each other. After a failure the clusters are of no use. */
nd_status nd_clusters_load(nd_clusters *clusters, const nd_sealed_file *file, nd_error *error);

#endif
