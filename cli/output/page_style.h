/* The look of pages that show a run: light and dark, wide and narrow, on paper. */
#ifndef CLI_PAGE_STYLE_H
#define CLI_PAGE_STYLE_H

/* Rules of style, which a page has once. */
extern const char page_style[];

#endif
