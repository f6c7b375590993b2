import { PassThrough } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { AppEvent } from '../../contract/rpc/index.ts'
import { live, local } from '../../contract/operations/index.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import type { Client } from '../client/client.ts'
import { Failure } from '../failure.ts'
import { until } from '../testing/rig.ts'
import { followHosted } from './hosted-line.ts'

function stage() {
  const clock = manualClock()
  const posted: AppEvent[] = []
  const streams: PassThrough[] = []
  const opened: unknown[] = []
  const counts = { answered: 0, began: 0 }
  let refuses = false
  let isAway = false
  const client = {
    call: async (operation: unknown) => {
      await setImmediate()
      if (isAway) throw new Failure('refused', 'ECONNREFUSED')
      expect([live.list, local.channelDetails]).toContain(operation)
      return { ret: { list: [], totalRecords: 0 } }
    },
    stream: (_operation: unknown, args: unknown, signal: AbortSignal) => {
      opened.push(args)
      if (refuses) return Promise.reject(new Error('no stream'))
      const stream = new PassThrough()
      streams.push(stream)
      signal.addEventListener('abort', () => stream.destroy(new Error('aborted')))
      return Promise.resolve(stream)
    },
  } as unknown as Client
  const line = followHosted({
    profileId: 'h',
    clock,
    client: () => Promise.resolve(client),
    post: (event) => void posted.push(event),
    changed: () => undefined,
    gone: () => undefined,
    answered: () => void counts.answered++,
    began: () => void counts.began++,
    heard: { place: 7 },
    log: () => undefined,
  })
  const newest = () => posted.findLast((event) => event.type === 'tallies')
  return {
    clock,
    posted,
    streams,
    opened,
    counts,
    line,
    newest,
    /** The stream; calls too where the service is away. */
    refuse: (calls = false) => {
      refuses = true
      isAway = calls
      streams.at(-1)?.destroy(new Error('reset'))
    },
    say: (event: object) => streams.at(-1)?.write(`${JSON.stringify(event)}\n`),
  }
}
const snapshot = { type: 'snapshot', at: 1, channels: [] }

it('is polled until its events begin, and again while they are lost', async () => {
  const on = stage()
  await until('a poll', () => on.newest()?.source === 'poll')
  expect(on.counts).toEqual({ answered: 1, began: 0 })
  on.say(snapshot)
  await until('events', () => on.newest()?.source === 'event')
  expect(on.opened).toEqual([{ after: 7 }])
  expect(on.counts.began).toBe(1)
  on.refuse()
  await until('a poll', () => on.newest()?.source === 'poll' && on.newest()?.fault === null)
  // Told as lost before.
  expect(on.posted.some((event) => event.type === 'tallies' && event.fault === 'lost')).toBe(true)
  on.line.end()
})

it('keeps what was on air while its service is away, with the time up to which that is known', async () => {
  const on = stage()
  await until('the stream', () => on.streams.length === 1)
  const one = { cid: 'c', status: 3, since: 5, viewers: 2, keyExpires: 9 }
  on.say({ ...snapshot, channels: [one] })
  await until('the tally', () => on.newest()?.tallies.length === 1)
  on.clock.advance(3_000)
  on.refuse(true)
  await until('a poll that failed', () => on.newest()?.source === 'poll' && on.newest()?.fault === 'poll')
  const lost = on.posted.findLast((event) => event.type === 'tallies' && event.source === 'event')
  expect(on.newest()).toMatchObject({ tallies: [one], at: (lost as { at: number }).at, failure: { kind: 'refused' } })
  on.line.end()
})

it('opens lost events again after growing waits', async () => {
  const on = stage()
  await until('the first stream', () => on.streams.length === 1)
  on.refuse()
  await until('a wait', () => on.clock.waiting() > 1)
  const waits: number[] = []
  for (let tries = 1; tries <= 9; tries++) {
    let waited = 0
    while (on.opened.length <= tries) {
      on.clock.advance(50)
      waited += 50
      for (let turn = 0; turn < 4; turn++) await setImmediate()
    }
    waits.push(waited)
  }
  // The first began before it was measured.
  expect(waits.slice(1)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000])
  on.line.end()
})

it('leaves nothing as known when it ends', async () => {
  const on = stage()
  await until('the stream', () => on.streams.length === 1)
  on.say(snapshot)
  on.say({ type: 'ingest', at: 2, cid: 'c', figures: { viewers: 1, droppedForReaders: 0 } })
  await until('figures', () => on.posted.some((event) => event.type === 'figures' && event.figures !== null))
  on.line.end()
  expect(on.posted.findLast((event) => event.type === 'figures')).toMatchObject({ cid: 'c', figures: null })
  expect(on.newest()).toMatchObject({ source: 'event', fault: 'lost' })
})
