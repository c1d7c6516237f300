package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

const patience = 30 * time.Second

// Page is the record that crawlsieve.yaml describes.
type Page struct {
	URL    string `json:"url"`
	Status int    `json:"status"`
	Type   string `json:"type"`
	HTML   string `json:"html"`
}

// Verdict has the fields that this crawler needs.
type Verdict struct {
	Verdict     string `json:"verdict"`
	Reason      string `json:"reason"`
	FollowLinks bool   `json:"follow_links"`
}

// Sieve sends pages and hears their verdicts. Safe for concurrent use.
type Sieve struct {
	client *kgo.Client
	pages  string
	stop   context.CancelFunc
	done   chan struct{}

	mutex   sync.Mutex
	waiting map[string]chan Verdict // by record key, which a verdict has from its page
}

// NewSieve reads verdicts from the start of their topic, until Close.
func NewSieve(bootstrap, pages, verdicts string) (*Sieve, error) {
	client, err := kgo.NewClient(
		kgo.SeedBrokers(bootstrap),
		kgo.ConsumeTopics(verdicts),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
	)
	if err != nil {
		return nil, fmt.Errorf("kafka at %s: %w", bootstrap, err)
	}
	ctx, stop := context.WithCancel(context.Background())
	sieve := &Sieve{client: client, pages: pages, stop: stop, done: make(chan struct{}),
		waiting: make(map[string]chan Verdict)}
	go sieve.listen(ctx)
	return sieve, nil
}

// VerdictOf sends a page and waits for its verdict, for a bounded time.
func (s *Sieve) VerdictOf(page Page) (Verdict, error) {
	value, err := json.Marshal(page)
	if err != nil {
		return Verdict{}, err
	}
	verdict := make(chan Verdict, 1)
	s.mutex.Lock()
	s.waiting[page.URL] = verdict
	s.mutex.Unlock()
	defer func() {
		s.mutex.Lock()
		delete(s.waiting, page.URL)
		s.mutex.Unlock()
	}()

	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	record := &kgo.Record{Topic: s.pages, Key: []byte(page.URL), Value: value}
	if err := s.client.ProduceSync(ctx, record).FirstErr(); err != nil {
		return Verdict{}, err
	}
	select {
	case heard := <-verdict:
		return heard, nil
	case <-ctx.Done():
		return Verdict{}, errors.New("no verdict came in time")
	}
}

// Close ends the listening.
func (s *Sieve) Close() {
	s.stop()
	<-s.done
	s.client.Close()
}

func (s *Sieve) listen(ctx context.Context) {
	defer close(s.done)
	for {
		fetches := s.client.PollFetches(ctx)
		if ctx.Err() != nil {
			return
		}
		fetches.EachError(func(topic string, _ int32, err error) { log.Printf("%s: %v", topic, err) })
		fetches.EachRecord(func(record *kgo.Record) {
			var verdict Verdict
			if err := json.Unmarshal(record.Value, &verdict); err != nil {
				log.Printf("verdict at %d: %v", record.Offset, err)
				return
			}
			s.mutex.Lock()
			defer s.mutex.Unlock()
			if waiting, ok := s.waiting[string(record.Key)]; ok {
				delete(s.waiting, string(record.Key))
				waiting <- verdict
			}
		})
	}
}
