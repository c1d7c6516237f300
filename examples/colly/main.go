// Crawls the guide and its mirror with Colly, from START_URL on. With KAFKA_BOOTSTRAP set, pages are
// published, and links of pages that crawlsieve judges to be duplicates aren't followed.
package main

import (
	"log"
	"net/url"
	"os"
	"strings"

	"github.com/gocolly/colly/v2"
)

const parallel = 8

func main() {
	var sieve *Sieve
	if bootstrap := os.Getenv("KAFKA_BOOTSTRAP"); bootstrap != "" {
		var err error
		if sieve, err = NewSieve(bootstrap, "crawl.pages", "crawl.verdicts"); err != nil {
			log.Fatal(err)
		}
		defer sieve.Close()
	}
	hosts := make(map[string]bool)
	for _, host := range strings.Split(os.Getenv("SITE_HOSTS"), ",") {
		hosts[host] = true
	}

	collector := colly.NewCollector(colly.Async(true))
	if err := collector.Limit(&colly.LimitRule{DomainGlob: "*", Parallelism: parallel}); err != nil {
		log.Fatal(err)
	}
	collector.OnResponse(func(response *colly.Response) {
		if sieve == nil {
			return
		}
		page := Page{
			URL: response.Request.URL.String(), Status: response.StatusCode,
			Type: response.Headers.Get("Content-Type"), HTML: string(response.Body),
		}
		verdict, err := sieve.VerdictOf(page)
		if err != nil {
			log.Printf("%s: %v; its links are followed", page.URL, err)
			return
		}
		log.Printf("%s %s %s", verdict.Verdict, verdict.Reason, page.URL)
		if !verdict.FollowLinks {
			response.Ctx.Put("skip", "yes")
		}
	})
	// Runs after OnResponse.
	collector.OnHTML("a[href]", func(link *colly.HTMLElement) {
		if link.Response.Ctx.Get("skip") != "" {
			return
		}
		target, err := url.Parse(link.Request.AbsoluteURL(link.Attr("href")))
		if err != nil || !hosts[target.Host] {
			return
		}
		target.Fragment = ""
		// A context of its own: Request.Visit would hand on this page's. An error says that the URL
		// was visited before.
		_ = collector.Visit(target.String())
	})
	if err := collector.Visit(os.Getenv("START_URL")); err != nil {
		log.Fatal(err)
	}
	collector.Wait()
}
