import { flag, integer, object, text } from '../field.ts'
import { extension } from './extension.ts'

/** Longest hold and delay, in s. */
export const maxHoldSeconds = 3600
/** Longest delay for viewers and targets, in s. */
export const maxDelaySeconds = 3600

const cid = text({ summary: 'Channel id.', required: true, max: 64 })

/** Hold and delay of a channel, as answers and events have them. */
export const holdFacts = {
  holdSeconds: integer({ summary: 'How long the picture is held when the encoder is lost; 0 for not at all.' }),
  delaySeconds: integer({ summary: 'Delay for viewers and targets that was asked for.' }),
  holding: flag({ summary: 'Viewers get the held picture.' }),
  byHand: flag({ summary: 'It is held by "Hold now".', optional: true }),
  noPicture: flag({
    summary: 'It is held by hand since before any picture was sent: viewers see none.',
    optional: true,
  }),
  since: integer({ summary: 'Since when it is held, in ms.', optional: true }),
  until: integer({ summary: 'When the broadcast ends unless the encoder returns, in ms.', optional: true }),
  lastHeld: integer({ summary: 'When the last hold of this push began, in ms.', optional: true }),
  lastHeldFor: integer({ summary: 'How long it lasted, in ms.', optional: true }),
  goesOn: integer({
    summary:
      'When viewers see that the last hold is over, where a delay is between; without a key frame at the earliest; ms.',
    optional: true,
  }),
  nextHeldUntil: integer({
    summary: 'A push that begins before then (ms) is held by hand and without a picture, as the last one was lost.',
    optional: true,
  }),
  delayed: integer({ summary: 'Delay that viewers have now, in ms, while on air.', optional: true }),
  delayChanging: flag({ summary: 'The delay is growing: the picture repeats until it is reached.', optional: true }),
  delayFault: text({ summary: 'disk: the delay stays at 20 s, as the disk is full or refused.', optional: true }),
} as const

/** Hold, which keeps the picture when the encoder is lost, and delay for viewers. */
export const holdOperations = {
  hold: extension('hold/read', 'hold', 'Reads hold and delay of a channel.', { cid }, { ret: object(holdFacts) }),
  updateHold: extension(
    'hold/update',
    'hold',
    'Changes hold and delay. Acts at once: to a longer delay the picture repeats, to a shorter it jumps.',
    {
      cid,
      holdSeconds: integer({ min: 0, max: maxHoldSeconds }),
      delaySeconds: integer({ min: 0, max: maxDelaySeconds }),
    },
    { ret: object(holdFacts) },
  ),
  holdNow: extension(
    'hold/now',
    'hold',
    'Holds the picture for viewers and targets until hold/back, while the encoder goes on; 631 when nothing is on air.',
    { cid },
    { ret: object(holdFacts) },
  ),
  holdBack: extension(
    'hold/back',
    'hold',
    'Ends a hold by hand at the next key frame, or before the push that would be held begins.',
    { cid },
    { ret: object(holdFacts) },
  ),
  dumpDelay: extension(
    'hold/dump',
    'hold',
    'Discards what viewers and targets have not been sent yet, and goes on with the present at its next key frame.',
    { cid },
    { ret: object({ discarded: integer({ summary: 'Media that nobody got, in ms.' }) }) },
  ),
} as const
