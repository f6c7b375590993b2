import { flag, integer, list, object, text } from '../field.ts'
import { extension } from './extension.ts'

/** Services that a target can be of, with their usual address. */
export const targetPresets = ['twitch', 'youtube', 'kick', 'facebook', 'custom'] as const
/** When a target begins: with each push, or by hand. */
export const targetStarts = ['push', 'hand'] as const
/**
 * off: nothing is on air, or it is started by hand. connecting: until the server has kept the push for 3 s. waiting:
 * after that, until there is something to send, as while the push is held without a picture. sending. stalled: the
 * server took nothing for 3 s while media waited, or frames are left out. retrying: waits for the next try. refused:
 * the server refused the push three times, as the answer to its key. noKey. stopped: by hand, for the push that runs.
 */
export const targetStates = [
  'off',
  'connecting',
  'waiting',
  'sending',
  'stalled',
  'retrying',
  'refused',
  'noKey',
  'stopped',
] as const
/** Targets of a channel. */
export const maxTargets = 16

const cid = text({ summary: 'Channel id.', required: true, max: 64 })
const targetId = integer({ summary: 'A target.', required: true, min: 1 })
const start = text({
  summary: 'push: with each push; hand: only when started.',
  pattern: `^(${targetStarts.join('|')})$`,
})
const serverUrl = { summary: 'rtmp:// or rtmps:// address without the key.', max: 1024 } as const

/** State of a target, as lists and events have it. */
export const targetProgress = {
  targetId: integer(),
  state: text({ summary: `${targetStates.join(', ')}.` }),
  since: integer({
    summary:
      'Since when it is in this state, in ms; of one that fails, over all tries; stalled: since when nothing is taken.',
  }),
  kbps: integer({ summary: 'Sent over the last 2 s; 0 while nothing is taken.' }),
  dropped: integer({ summary: 'Video frames that it did not get in this push.' }),
  reconnects: integer({ summary: 'Connections of this push that followed a lost one; a start by hand is none.' }),
  tries: integer({ summary: 'Attempts since it last sent.' }),
  nextTry: integer({ summary: 'When it tries again, in ms, while it waits.', optional: true }),
  reason: text({
    summary:
      'unresolved, unreachable, noAnswer, certificate (not accepted; NODE_EXTRA_CA_CERTS in the environment of the ' +
      'service names an authority of its own), tls (it was reached, TLS failed), handshake, refused, closed, stalled ' +
      'or fault.',
    optional: true,
  }),
  answer: text({ summary: "The server's own words, without the key.", optional: true }),
} as const

/** Facts of a target that stay. */
export const targetSettings = {
  targetId: integer(),
  name: text(),
  preset: text({ summary: `${targetPresets.join(', ')}.` }),
  url: text({ summary: 'Address without the key.' }),
  start: text({ summary: 'push or hand.' }),
  hasKey: flag({ summary: 'The service has its key.' }),
  keyEnd: text({ summary: 'Last characters of the key, to tell keys apart.', optional: true }),
  keyForgotten: flag({
    summary: 'It has no key, as its address was changed without one: the key was for the address before.',
    optional: true,
  }),
  keyGone: flag({
    summary: 'It had a key, which nobody gave to the service since its start.',
    optional: true,
  }),
} as const

/** Targets: where else the push of a channel goes. */
export const targetOperations = {
  targets: extension(
    'target/list',
    'targets',
    'Lists the targets of a channel in the order they were added, with their states.',
    { cid },
    {
      ret: object({
        list: list(object({ ...targetSettings, ...targetProgress })),
        needs: integer({
          summary:
            'kbit/s that all targets which send, or try to, need: for each the last measured bitrate of the push, ' +
            'also while its picture is held; 0 before that is known. After a push what goes out of its rest.',
        }),
        budget: integer({ summary: 'Upload at most in kbit/s (access/limits); 0 without.' }),
        waiting: integer({ summary: 'Pages of viewers that wait for their turn (access/limits).' }),
      }),
    },
  ),
  addTarget: extension(
    'target/add',
    'targets',
    `Adds a target; ${maxTargets} of a channel.`,
    {
      cid,
      name: text({ required: true, max: 64 }),
      preset: text({ default: 'custom', pattern: `^(${targetPresets.join('|')})$` }),
      url: text({ required: true, ...serverUrl }),
      key: text({ summary: 'Stream key.', max: 1024, secret: true }),
      start: { ...start, default: 'push' },
    },
    { ret: object({ targetId: integer() }) },
  ),
  updateTarget: extension(
    'target/update',
    'targets',
    'Changes a target; absent members stay. A new address needs its key again.',
    {
      cid,
      targetId,
      name: text({ max: 64 }),
      url: text(serverUrl),
      key: text({ summary: 'Stream key.', max: 1024, secret: true }),
      start,
    },
    {},
  ),
  removeTarget: extension(
    'target/remove',
    'targets',
    'Stops a target and forgets it with its key.',
    { cid, targetId },
    {},
  ),
  startTarget: extension(
    'target/start',
    'targets',
    'Starts a target now; while nothing is on air it starts with the next push.',
    { cid, targetId },
    {},
  ),
  stopTarget: extension(
    'target/stop',
    'targets',
    'Stops a target for the push that runs; off air it takes back a start.',
    { cid, targetId },
    {},
  ),
} as const
