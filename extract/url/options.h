#pragma once

namespace crawlsieve::extract {

/// Which URLs are the same page. Part of the scheme: identities of different rules don't meet.
struct UrlOptions {
  bool drop_tracking = true;  ///< parameters of campaigns and clicks: utm_source, gclid, fbclid
  bool drop_sessions = true;  ///< session ids in path and query: ;jsessionid=, PHPSESSID=
  bool sort_query = false;    ///< the order of parameters doesn't matter
  bool drop_www = false;      ///< www.example.org is example.org
  bool unify_scheme = false;  ///< http is https
  /// Whether <link rel=canonical> decides a page's identity, where it names the page's own host.
  /// Another host never counts: any page could retire the kept version of another site.
  bool follow_canonical_link = false;
};

}  // namespace crawlsieve::extract
