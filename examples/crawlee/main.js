// Crawls the guide and its mirror with Crawlee, from START_URL on. With KAFKA_BOOTSTRAP set, pages
// are published, and links of pages that crawlsieve judges to be duplicates aren't followed.
import { CheerioCrawler, Configuration, EnqueueStrategy, log } from '@crawlee/cheerio';

import { Sieve } from './sieve.js';

const bootstrap = process.env.KAFKA_BOOTSTRAP;
const hosts = process.env.SITE_HOSTS.split(',');
const sieve = bootstrap && new Sieve(bootstrap, 'crawl.pages', 'crawl.verdicts');

const crawler = new CheerioCrawler({
  maxConcurrency: 8,
  async requestHandler({ request, response, body, enqueueLinks }) {
    if (sieve) {
      const verdict = await sieve.verdictOf(request.loadedUrl, {
        request: { loadedUrl: request.loadedUrl },
        response: { statusCode: response.statusCode, headers: response.headers },
        fetchedAt: new Date().toISOString(),
        body: body.toString(),
      });
      log.info(`${verdict?.verdict} ${verdict?.reason} ${request.loadedUrl}`);
      if (verdict && !verdict.follow_links) return;
    }
    await enqueueLinks({
      strategy: EnqueueStrategy.All,
      transformRequestFunction: (link) => hosts.includes(new URL(link.url).host) && link,
    });
  },
}, new Configuration({ persistStorage: false }));

try {
  await sieve?.start();
  await crawler.run([process.env.START_URL]);
} finally {
  await sieve?.stop();
}
