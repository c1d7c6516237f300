"""Crawls the guide and its mirror, from START_URL on."""

import os

import scrapy


class GuideSpider(scrapy.Spider):
    name = "guide"
    start_urls = [os.environ["START_URL"]]
    allowed_hosts = os.environ["SITE_HOSTS"].split(",")
    custom_settings = {
        "LOG_LEVEL": "INFO",
        "TELNETCONSOLE_ENABLED": False,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
        "DOWNLOADER_MIDDLEWARES": {"crawlsieve_middleware.SkipSuppressed": 50},
        "SPIDER_MIDDLEWARES": {"crawlsieve_middleware.FollowVerdicts": 50},
        "CRAWLSIEVE_BOOTSTRAP": os.environ.get("KAFKA_BOOTSTRAP"),
    }

    def parse(self, response):
        for link in response.css("a::attr(href)").getall():
            request = response.follow(link)
            if request.url.split("/")[2] in self.allowed_hosts:
                yield request
