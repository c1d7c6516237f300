import { Kafka, Partitioners, logLevel } from 'kafkajs';

const PATIENCE_MS = 30_000;

/** Sends pages and hears their verdicts. */
export class Sieve {
  #producer;
  #consumer;
  #pages;
  #verdicts;
  #waiting = new Map(); // by record key, which a verdict has from its page

  constructor(bootstrap, pages, verdicts) {
    const kafka = new Kafka({ brokers: bootstrap.split(','), logLevel: logLevel.WARN });
    this.#producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
    this.#consumer = kafka.consumer({ groupId: 'crawlee', readUncommitted: false });
    this.#pages = pages;
    this.#verdicts = verdicts;
  }

  async start() {
    await this.#producer.connect();
    await this.#consumer.connect();
    await this.#consumer.subscribe({ topics: [this.#verdicts], fromBeginning: true });
    await this.#consumer.run({
      eachMessage: async ({ message }) => {
        this.#waiting.get(message.key.toString())?.(JSON.parse(message.value.toString()));
      },
    });
  }

  /** Sends a page and waits for its verdict; undefined if none came in time. */
  async verdictOf(url, page) {
    let timer;
    const verdict = new Promise((resolve) => {
      this.#waiting.set(url, resolve);
      timer = setTimeout(resolve, PATIENCE_MS);
    });
    try {
      await this.#producer.send({
        topic: this.#pages,
        messages: [{ key: url, value: JSON.stringify(page) }],
      });
      return await verdict;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(url);
    }
  }

  async stop() {
    await this.#consumer.disconnect();
    await this.#producer.disconnect();
  }
}
