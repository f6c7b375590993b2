import { systemClock } from '../../platform/clock.ts'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { AdmissionTable } from '../storage/live-tables.ts'
import { createChannelsGate, keepGateTidy, type ChannelsGate } from './channels-gate.ts'
import type { Channel } from './channels.ts'
import { pushSecret, type PushKey } from '../ingest/push-address.ts'

const cid = '0123456789abcdef0123456789abcdef'
const other = 'fedcba9876543210fedcba9876543210'
const start = 1_800_000_000_000
const minute = 60_000
let now: number
let channels: Map<string, Channel>
let stored: Map<string, AdmissionTable>
let gate: ChannelsGate

const channel = (id: string, channelKey: string): Channel => ({
  row: {
    cid: id,
    uid: 1,
    name: id,
    type: 0,
    ctime: start,
    disabled: 0,
    needRecord: 0,
    format: 1,
    duration: 120,
    filename: '',
    channelKey,
    keyExpires: 0,
  },
  since: undefined,
  recording: false,
})
const change = (id: string, values: { since?: number | undefined; row?: Partial<Channel['row']> }): void => {
  const before = channels.get(id)!
  channels.set(id, {
    ...before,
    since: 'since' in values ? values.since : before.since,
    row: { ...before.row, ...values.row },
  })
}
const key = (wsTime: number, id = cid, channelKey = 'key'): PushKey => ({
  wsSecret: pushSecret(channelKey, id, wsTime),
  wsTime: String(wsTime),
})
const make = (earlier: readonly AdmissionTable[] = []): ChannelsGate =>
  createChannelsGate({
    channels,
    clock: { ...systemClock, now: () => now },
    earlier,
    log: {
      note: (admission) => void stored.set(`${admission.cid} ${admission.wsTime}`, admission),
      forget: (admission) => void stored.delete(`${admission.cid} ${admission.wsTime}`),
    },
  })
const remedy = (given: PushKey, id = cid): string => {
  const answer = gate.admit(id, given)
  return answer.ok ? 'ok' : answer.remedy
}

beforeEach(() => {
  now = start
  channels = new Map([
    [cid, channel(cid, 'key')],
    [other, channel(other, 'other key')],
  ])
  stored = new Map()
  gate = make()
})

describe('a publisher', () => {
  const expiry = start / 1000 + 3600

  it('is admitted with any right address that has not expired', () => {
    expect([remedy(key(expiry)), remedy(key(expiry + 1)), remedy(key(start / 1000 + 1))]).toEqual(['ok', 'ok', 'ok'])
  })

  it.each<[string, PushKey]>([
    ['no secret', { wsSecret: '', wsTime: String(expiry) }],
    ['another secret', { wsSecret: '0'.repeat(32), wsTime: String(expiry) }],
    ['a secret in upper case', { ...key(expiry), wsSecret: key(expiry).wsSecret.toUpperCase() }],
    ['the secret of another channel', key(expiry, other, 'other key')],
    ['the secret of another time', { ...key(expiry), wsTime: String(expiry + 1) }],
    ['a time with a leading zero', { ...key(expiry), wsTime: `0${expiry}` }],
    ['a time that is none', { ...key(expiry), wsTime: 'NaN' }],
    ['a time in the far future that nobody signed', { ...key(expiry), wsTime: '999999999999' }],
    ['a very long secret', { ...key(expiry), wsSecret: 'a'.repeat(100_000) }],
  ])('with %s is refused', (_what, given) => {
    expect(remedy(given)).toBe('key')
    expect(stored.size).toBe(0)
  })

  it('of an unknown channel is refused without a remedy to show', () => {
    expect(remedy(key(expiry, 'x'.repeat(32)), 'x'.repeat(32))).toBe('unknown')
  })

  it('of a disabled channel is refused, with a right key only told so', () => {
    change(cid, { row: { disabled: 1 } })
    expect([
      remedy(key(expiry)),
      remedy({ ...key(expiry), wsSecret: '0'.repeat(32) }),
      gate.mayPlay(cid),
      gate.mayPlay(other),
      gate.mayPlay('x'),
    ]).toEqual(['disabled', 'key', false, true, false])
  })

  it('with an expired address is refused from the second of its expiry on', () => {
    now = expiry * 1000 - 1
    const fresh = make()
    expect(fresh.admit(cid, key(expiry)).ok).toBe(true)
    now = expiry * 1000
    expect(remedy(key(expiry))).toBe('expired')
  })

  it('that was admitted may return for 15 minutes after its last packet, and not later', () => {
    expect(remedy(key(expiry))).toBe('ok')
    now = expiry * 1000 + 5 * minute
    gate.released(cid, key(expiry), now)
    now += 15 * minute
    expect(remedy(key(expiry))).toBe('ok')
    gate.released(cid, key(expiry), now - 15 * minute)
    now += 15 * minute + 1
    expect(remedy(key(expiry))).toBe('expired')
    expect(remedy(key(expiry - 1))).toBe('expired')
  })

  it('on air may be taken over with the same address at any time', () => {
    expect(remedy(key(expiry))).toBe('ok')
    change(cid, { since: now })
    now = expiry * 1000 + 100 * minute
    expect(remedy(key(expiry))).toBe('ok')
  })

  it('loses its grace with a new key', () => {
    expect(remedy(key(expiry))).toBe('ok')
    change(cid, { row: { channelKey: 'new' } })
    gate.released(cid, key(expiry), now)
    expect(remedy(key(expiry))).toBe('key')
  })

  it('may return after a restart of the service too', () => {
    expect(remedy(key(expiry))).toBe('ok')
    change(cid, { since: now })
    now = expiry * 1000 + minute
    gate.tidy()
    change(cid, { since: undefined })
    gate = make([...stored.values()])
    now += 10 * minute
    expect(remedy(key(expiry))).toBe('ok')
  })

  it('is forgotten when its grace is over', () => {
    expect(remedy(key(expiry))).toBe('ok')
    gate.released(cid, key(expiry), now)
    now += 15 * minute
    gate.tidy()
    expect(stored.size).toBe(1)
    now += 1
    gate.tidy()
    expect(stored.size).toBe(0)
  })
})

it('a gate is kept tidy once a minute, and once more at the end', () => {
  vi.useFakeTimers()
  try {
    let tidied = 0
    const end = keepGateTidy({ tidy: () => void tidied++ })
    vi.advanceTimersByTime(minute - 1)
    expect(tidied).toBe(0)
    vi.advanceTimersByTime(minute + 1)
    expect(tidied).toBe(2)
    end()
    expect(tidied).toBe(3)
    vi.advanceTimersByTime(10 * minute)
    expect(tidied).toBe(3)
  } finally {
    vi.useRealTimers()
  }
})

it('an earlier packet never shortens the grace of an address', () => {
  const expiry = start / 1000 + 3600
  expect(remedy(key(expiry))).toBe('ok')
  now = expiry * 1000 + 10 * minute
  gate.released(cid, key(expiry), now)
  gate.released(cid, key(expiry), now - 10 * minute)
  now += 14 * minute
  expect(remedy(key(expiry))).toBe('ok')
  expect(stored.size).toBe(1)
  channels.delete(cid)
  gate.tidy()
  expect(stored.size).toBe(0)
})
