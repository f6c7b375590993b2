import { expect, it } from 'vitest'
import {
  backlogPause,
  maxBacklog,
  maxCalls,
  maxMessage,
  maxSeatCalls,
  maxSubscriptions,
  refused,
} from './connection.ts'
import { inflowBurst } from './inflow.ts'

it('a page may send 256 KiB at once, have 128 calls and 4 subscriptions, and let 1 MiB and 16 MiB wait', () => {
  expect({ maxMessage, maxCalls, maxSubscriptions, backlogPause, maxBacklog }).toEqual({
    maxMessage: 262_144,
    maxCalls: 128,
    maxSubscriptions: 4,
    backlogPause: 1_048_576,
    maxBacklog: 16_777_216,
  })
})

it('pages of a moderator may have 64 calls, and a page that sends too much is closed as against the policy', () => {
  expect([maxSeatCalls, refused]).toEqual([64, 1008])
})

it('of a page 2,000 frames and 16 MiB of characters are taken at once', () => {
  expect(inflowBurst).toEqual({ frames: 2_000, characters: 16_777_216 })
})
