import { targetStates } from '../../contract/operations/targets.ts'
import { outcomes } from '../http/request-counts.ts'
import { mediaWays } from '../hub/media-counts.ts'
import type { Figure } from './figure.ts'

/** Seconds in a ms. */
const ms = 0.001
const channelStates = ['idle', 'live', 'disabled', 'recording'] as const

/** What `/metrics` tells of a service, beside the process itself (docs/decisions/022-metrics.md). */
export const figures: readonly Figure[] = [
  {
    name: 'sidestage_request_duration_seconds',
    help: 'Time of signed requests by group of operations and outcome.',
    labels: ['group', 'outcome'],
    type: 'histogram',
    unit: ms,
    read: ({ requestCounts }) =>
      [...requestCounts.groups()].flatMap(([group, of]) =>
        outcomes.map((outcome) => [of[outcome], { group, outcome }] as const),
      ),
  },
  {
    name: 'sidestage_refusals_total',
    help: 'Signed requests that were not answered with 200, by code.',
    labels: ['code'],
    type: 'counter',
    read: (_parts, { requestCounts }) =>
      [...requestCounts.refusals()].map(([code, count]) => [count, { code: String(code) }]),
  },
  {
    name: 'sidestage_channels',
    help: 'Channels by state.',
    labels: ['state'],
    type: 'gauge',
    read: ({ channels }) => channels.totals().map((count, state) => [count, { state: channelStates[state]! }]),
  },
  {
    name: 'sidestage_publishers',
    help: 'Encoders that push now.',
    type: 'gauge',
    read: ({ hub }) => [[hub.totals().publishers]],
  },
  {
    name: 'sidestage_held_pushes',
    help: 'Pushes whose encoder is lost and whose picture is held.',
    type: 'gauge',
    read: ({ hub }) => [[hub.totals().held]],
  },
  {
    name: 'sidestage_players',
    help: 'Players by protocol; those of HLS asked within the last seconds.',
    labels: ['protocol'],
    type: 'gauge',
    read: ({ hls }, { mediaCounts: { flv, rtmp } }) => [
      [flv.readers, { protocol: 'flv' }],
      [rtmp.readers, { protocol: 'rtmp' }],
      [hls.totals().players, { protocol: 'hls' }],
    ],
  },
  {
    name: 'sidestage_media_received_bytes_total',
    help: 'Media of encoders.',
    type: 'counter',
    read: ({ hub }) => [[hub.totals().bytes]],
  },
  {
    name: 'sidestage_media_sent_bytes_total',
    help: 'Media given to players and targets.',
    labels: ['way'],
    type: 'counter',
    read: (_parts, { mediaCounts }) => mediaWays.map((way) => [mediaCounts[way].bytes, { way }]),
  },
  {
    name: 'sidestage_dropped_packets_total',
    help: 'Packets left out for players and targets that were too slow.',
    labels: ['way'],
    type: 'counter',
    read: (_parts, { mediaCounts }) => mediaWays.map((way) => [mediaCounts[way].dropped, { way }]),
  },
  {
    name: 'sidestage_slow_players_ended_total',
    help: 'Players and targets that lost their connection, as they were too slow for too long.',
    labels: ['way'],
    type: 'counter',
    read: (_parts, { mediaCounts }) => mediaWays.map((way) => [mediaCounts[way].stuck, { way }]),
  },
  {
    name: 'sidestage_gop_cache_bytes',
    help: 'Memory of the media since the last key frames.',
    type: 'gauge',
    read: ({ hub }) => [[hub.totals().cachedBytes]],
  },
  {
    name: 'sidestage_delayed_media_bytes',
    help: 'Memory of media that waits for its delay.',
    type: 'gauge',
    read: ({ lines }) => [[lines.memory()]],
  },
  {
    name: 'sidestage_hls_playlists',
    help: 'HLS playlists that are served.',
    type: 'gauge',
    read: ({ hls }) => [[hls.totals().playlists]],
  },
  {
    name: 'sidestage_hls_segment_bytes',
    help: 'Memory of HLS segments.',
    type: 'gauge',
    read: ({ hls }) => [[hls.totals().bytes]],
  },
  {
    name: 'sidestage_targets',
    help: 'Targets by state.',
    labels: ['state'],
    type: 'gauge',
    read({ targets }) {
      const states = targets.totals()
      return targetStates.map((state) => [states[state] ?? 0, { state }])
    },
  },
  {
    name: 'sidestage_recordings',
    help: 'Recordings that are written now.',
    type: 'gauge',
    read: ({ recording }) => [[recording.totals().running]],
  },
  {
    name: 'sidestage_recording_bytes',
    help: 'Size of the files that are recorded now.',
    type: 'gauge',
    read: ({ recording }) => [[recording.totals().bytes]],
  },
  {
    name: 'sidestage_recording_blocked',
    help: '1 while the disk does not allow recording.',
    type: 'gauge',
    read: ({ recording }) => [[Number(recording.totals().isBlocked)]],
  },
  {
    name: 'sidestage_recordings_storing',
    help: 'Finished recordings that are not in the object store yet; absent without one.',
    type: 'gauge',
    read: ({ recording }) => [recording.totals().storing].flatMap((storing) => (storing ? [[storing.files]] : [])),
  },
  {
    name: 'sidestage_recordings_storing_bytes',
    help: 'Size of the finished recordings that are not in the object store yet; absent without one.',
    type: 'gauge',
    read: ({ recording }) => [recording.totals().storing].flatMap((storing) => (storing ? [[storing.bytes]] : [])),
  },
  {
    name: 'sidestage_merges',
    help: 'Merges of recorded files that run.',
    type: 'gauge',
    read: ({ recording }) => [[recording.totals().merges]],
  },
  { name: 'sidestage_rooms', help: 'Open rooms.', type: 'gauge', read: ({ rooms }) => [[rooms.totals().open]] },
  {
    name: 'sidestage_room_accounts',
    help: 'Accounts inside rooms.',
    type: 'gauge',
    read: ({ rooms }) => [[rooms.totals().inside]],
  },
  {
    name: 'sidestage_room_sessions',
    help: 'Sessions inside rooms.',
    type: 'gauge',
    read: ({ rooms }) => [[rooms.totals().sessions]],
  },
  {
    name: 'sidestage_sessions',
    help: 'Sessions of accounts and guests on the client link.',
    type: 'gauge',
    read: ({ sessions }) => [[sessions.size()]],
  },
  {
    name: 'sidestage_link_connections',
    help: 'Connections of the client link, before and after the log-in.',
    type: 'gauge',
    read: ({ link }) => [[link.connections()]],
  },
  {
    name: 'sidestage_messages_stored_total',
    help: 'Messages and events stored: of conversations, and lines of rooms.',
    labels: ['kind'],
    type: 'counter',
    read: (_parts, { messageCounts: { conversations, rooms } }) => [
      [conversations.stored, { kind: 'conversation' }],
      [rooms.stored, { kind: 'room' }],
    ],
  },
  {
    name: 'sidestage_messages_delivered_total',
    help: 'Pushes given to sessions: of conversations, and of rooms with their notices.',
    labels: ['kind'],
    type: 'counter',
    read: (_parts, { messageCounts: { conversations, rooms } }) => [
      [conversations.delivered, { kind: 'conversation' }],
      [rooms.delivered, { kind: 'room' }],
    ],
  },
  {
    name: 'sidestage_events_waiting',
    help: 'Events of conversations that wait to be stored.',
    type: 'gauge',
    read: ({ stream }) => [[stream.waiting()]],
  },
  {
    name: 'sidestage_outbox_waiting',
    help: 'Callbacks and message copies that wait to be delivered; looked at every 5 s.',
    type: 'gauge',
    read: (_parts, _counts, { backlog }) => [[backlog.waiting]],
  },
  {
    name: 'sidestage_outbox_oldest_age_seconds',
    help: 'Age of the oldest of them; 0 without one.',
    type: 'gauge',
    read: (_parts, _counts, { backlog }) => [[backlog.oldestAge * ms]],
  },
  {
    name: 'sidestage_outbox_attempts_total',
    help: 'Attempts to deliver them, by outcome.',
    labels: ['outcome'],
    type: 'counter',
    read: ({ outbox }) => Object.entries(outbox.attempts()).map(([outcome, count]) => [count, { outcome }]),
  },
  {
    name: 'sidestage_statement_duration_seconds',
    help: 'Time of short statements of the database.',
    type: 'histogram',
    unit: ms,
    read: ({ databaseCounts }) => [[databaseCounts.statements]],
  },
  {
    name: 'sidestage_write_batch_items',
    help: 'Items of one write to the database that combined some.',
    type: 'histogram',
    unit: 1,
    read: ({ databaseCounts }) => [[databaseCounts.batches]],
  },
  {
    name: 'sidestage_long_reads_waiting',
    help: 'Long reads of the database that wait for their turn.',
    type: 'gauge',
    read: (_parts, { databaseCounts }) => [[databaseCounts.readsWaiting]],
  },
  {
    name: 'sidestage_owed_writes',
    help: 'Writes that are in force and not on the disk, which refused them.',
    type: 'gauge',
    read: ({ held }) => [[held.size()]],
  },
  {
    name: 'sidestage_database_up',
    help: '1 while the database answers; looked at every 5 s.',
    type: 'gauge',
    read: (_parts, _counts, { faults }) => [[Number(!faults.store)]],
  },
  {
    name: 'sidestage_redis_up',
    help: '1 while Redis answers; absent for a service that is alone.',
    type: 'gauge',
    read: ({ redis, bus }) => (redis ? [[Number(redis.up() && bus.up())]] : []),
  },
  {
    name: 'sidestage_faults',
    help: '1 for what does not work, as /readyz tells it; looked at every 5 s.',
    labels: ['fault'],
    type: 'gauge',
    read: (_parts, _counts, { faults }) => Object.entries(faults).map(([fault, is]) => [Number(is), { fault }]),
  },
]
