/* Decodes Zstandard (RFC 8878) with libzstd: any number of frames; skippable ones are
 * skipped. But if a file begins with the skippable frame of magic number 0x184D2A5D, as .warc.zst
 * has it, that frame holds the dictionary of all frames, plain or itself a Zstandard frame. */
#ifndef ND_IO_ZSTD_IN_H
#define ND_IO_ZSTD_IN_H

#include "io/member_resume.h"

typedef struct nd_zstd_in nd_zstd_in;

/* The source has its buffer, which begins with the stream's first bytes. It stays the caller's, and
 * must outlive the decoder. memory: as in nd_stream_in_options. */
nd_status nd_zstd_in_open(nd_byte_source *source, uint64_t memory, const nd_allocator *allocator,
                          nd_zstd_in **out, nd_error *error);
void nd_zstd_in_close(nd_zstd_in *zstd);

/* Whether reading failed because a frame's window is too large. */
bool nd_zstd_in_window_refused(const nd_zstd_in *zstd);

/* As nd_stream_in_read. */
nd_status nd_zstd_in_read(nd_zstd_in *zstd, void *buffer, size_t size, size_t *got,
                          nd_error *error);

/* The compressed offset where the latest frame begins. *delivered: the bytes of it so far. */
uint64_t nd_zstd_in_frame(const nd_zstd_in *zstd, uint64_t *delivered);
/* Frames, with the decoder's dictionary. */
nd_member_kind nd_zstd_frame_kind(nd_zstd_in *zstd);
/* Goes on with the frame that the source reads next. */
void nd_zstd_in_restart(nd_zstd_in *zstd);

#endif
