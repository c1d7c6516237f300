#!/usr/bin/env bash
# Gives a role of crawlsieve the permissions that it needs, and no others.
#
#   acls.sh extract User:extractor
#   acls.sh judge User:judge
#   acls.sh index User:index
#
# A process with several roles needs those of each. Names differ from the defaults where these say so:
#
#   BOOTSTRAP_SERVER   of the brokers (default: localhost:9092)
#   COMMAND_CONFIG     file with the client properties of an administrator (default: none)
#   INPUT_TOPICS       kafka.input.topics, separated by blanks (default: crawl.pages)
#   ASKED_TOPIC        kafka.asked.topic (default: none)
#   LOG_TOPIC          kafka.log.topic (default: crawl.fingerprints)
#   KEY_TOPIC          kafka.key.topic (default: crawl.key)
#   VERDICTS_TOPIC     kafka.verdicts.topic (default: crawl.verdicts)
#   KEPT_TOPIC         kafka.kept.topic (default: none): the judge reads the input topics then
#   SCORES_TOPIC       kafka.scores.topic (default: none)
#   RENDERED_TOPICS    those of kafka.scores.rendered, separated by blanks (default: none)
#   SITES_TOPIC        kafka.sites.topic (default: none)
#   SLOTS              1 where index.slots is set (default: none); role index needs no such word
#   CHANGES_TOPIC      kafka.changes.topic (default: crawl.changes)
#   CANDIDATES_TOPIC   kafka.candidates.topic (default: crawl.candidates)
#   REPLICA_GROUP      index.replica_group (default: none)
#   METRICS_TOPIC      metrics.topic (default: crawl.metrics; none if set and empty)
#   DEAD_LETTERS       kafka.dead_letters.suffix (default: .dlq)
#   GROUP              kafka.group (default: crawlsieve)
#   KAFKA_ACLS         the command of Kafka (default: kafka-acls.sh)
set -euo pipefail

usage() {
  sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2
  exit 2
}
(($# == 2)) || usage
readonly role=$1 principal=$2
read -r -a inputs <<<"${INPUT_TOPICS:-crawl.pages}"
if [[ -n ${ASKED_TOPIC-} ]]; then inputs+=("$ASKED_TOPIC"); fi

allow() {
  "${KAFKA_ACLS:-kafka-acls.sh}" --bootstrap-server "${BOOTSTRAP_SERVER:-localhost:9092}" \
    ${COMMAND_CONFIG:+--command-config "$COMMAND_CONFIG"} \
    --add --allow-principal "$principal" "$@"
}

topics=()
add_topic() {
  if [[ -n $1 ]]; then topics+=(--topic "$1"); fi
}

log=${LOG_TOPIC:-crawl.fingerprints}
key=${KEY_TOPIC:-crawl.key}
changes=${CHANGES_TOPIC:-crawl.changes}
candidates=${CANDIDATES_TOPIC:-crawl.candidates}
metrics=${METRICS_TOPIC-crawl.metrics}
group=${GROUP:-crawlsieve}

case $role in
  extract)
    for input in "${inputs[@]}"; do add_topic "$input"; done
    add_topic "$key"
    allow --operation Read --operation DescribeConfigs "${topics[@]}"
    allow --operation Read --operation Write --operation DescribeConfigs --topic "$log"
    topics=()
    for input in "${inputs[@]}"; do add_topic "$input${DEAD_LETTERS:-.dlq}"; done
    add_topic "$metrics"
    allow --operation Create --operation Write --operation DescribeConfigs "${topics[@]}"
    allow --operation Read --group "$group.extract"
    # The log and the key are read by clients that name this group and don't join it.
    allow --operation Describe --group "$group.judge"
    ;;
  judge)
    allow --operation Create --operation Read --operation Write --operation DescribeConfigs \
      --topic "$log" --topic "$key"
    add_topic "${VERDICTS_TOPIC:-crawl.verdicts}"
    add_topic "${KEPT_TOPIC-}"
    add_topic "${SCORES_TOPIC-}"
    read -r -a rendered <<<"${RENDERED_TOPICS-}"
    for topic in "${rendered[@]}"; do add_topic "$topic"; done
    add_topic "${SITES_TOPIC-}"
    add_topic "$metrics"
    allow --operation Create --operation Write --operation DescribeConfigs "${topics[@]}"
    if [[ -n ${KEPT_TOPIC-} ]]; then
      topics=()
      for input in "${inputs[@]}"; do add_topic "$input"; done
      allow --operation Read --operation DescribeConfigs "${topics[@]}"
    fi
    if [[ -n ${SLOTS-} ]]; then
      allow --operation Create --operation Read --operation Write --operation DescribeConfigs \
        --topic "$changes"
      allow --operation Create --operation Read --operation DescribeConfigs --topic "$candidates"
    fi
    allow --operation Read --group "$group.judge"
    allow --operation Write --transactional-id "$group.judge"
    ;;
  index)
    allow --operation Read --operation DescribeConfigs --topic "$log" --topic "$key"
    allow --operation Create --operation Read --operation DescribeConfigs --topic "$changes"
    allow --operation Create --operation Read --operation Write --operation DescribeConfigs \
      --topic "$candidates"
    add_topic "$metrics"
    if ((${#topics[@]})); then
      allow --operation Create --operation Write --operation DescribeConfigs "${topics[@]}"
    fi
    allow --operation Read --group "$group.index${REPLICA_GROUP:+-$REPLICA_GROUP}"
    # Log, key and changes are read by clients that name this group and don't join it.
    allow --operation Describe --group "$group.judge"
    ;;
  *) usage ;;
esac
