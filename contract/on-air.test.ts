import { describe, expect, it } from 'vitest'
import { onAirOf, type ToldTallies } from './on-air.ts'

const now = 100_000
/** Channels by status (`1` live, `3` live and recorded); listed by start. */
const told = (
  source: ToldTallies['source'],
  statuses: Readonly<Record<string, number>>,
  more: Partial<ToldTallies> = {},
): ToldTallies => ({
  source,
  fault: null,
  heard: now,
  tallies: Object.entries(statuses).map(([cid, status], index) => ({
    cid,
    status,
    since: source === 'event' ? 50_000 - index : null,
    viewers: null,
    keyExpires: null,
  })),
  ...more,
})
const seen = (
  { local, hosted }: { local?: ToldTallies; hosted?: ToldTallies },
  { opened = null, isServiceDown = false }: { opened?: string | null; isServiceDown?: boolean } = {},
) => {
  const profiles = [...(local ? [['local', local] as const] : []), ...(hosted ? [['h', hosted] as const] : [])]
  const { lamp, channel, channels } = onAirOf(profiles, { isServiceDown, opened, now })
  return [lamp, channel?.cid, channels.map(({ cid, stale }) => (stale ? `${cid}?` : cid)).join(' ')]
}
const gone = { fault: 'ended' }
const silent = { fault: 'no answer', heard: now - 20_001 }

describe('the lamp of the window', () => {
  it.each<[string, Parameters<typeof seen>[0], Parameters<typeof seen>[1], unknown]>([
    [
      'is idle while nothing is on air',
      { local: told('event', { a: 0, b: 2 }) },
      { opened: 'a' },
      ['idle', undefined, ''],
    ],
    [
      'is of what is on air, also when another channel was opened last',
      { local: told('event', { a: 1, b: 0 }) },
      { opened: 'b' },
      ['live', 'a', 'a'],
    ],
    [
      'is of the channel opened last, if it is on air',
      { local: told('event', { a: 1, b: 3 }) },
      { opened: 'a' },
      ['live', 'a', 'b a'],
    ],
    [
      'is of the longest on air otherwise',
      { local: told('event', { a: 1, b: 3 }) },
      { opened: 'c' },
      ['recording', 'b', 'b a'],
    ],
    [
      'is of any profile',
      { local: told('event', { a: 0 }), hosted: told('poll', { x: 1 }) },
      { opened: 'a' },
      ['live', 'x', 'x'],
    ],
    [
      'is a fault of the service that is down',
      { local: told('event', { a: 1 }) },
      { isServiceDown: true },
      ['fault', 'a', 'a?'],
    ],
    [
      'is a fault of the service that is down with nothing on air',
      { local: told('event', { a: 0 }) },
      { isServiceDown: true },
      ['fault', undefined, ''],
    ],
    ['is a fault before the service told anything', {}, { isServiceDown: true }, ['fault', undefined, '']],
    [
      'is a fault when the word of the service stands no more',
      { local: told('event', { a: 1 }, gone) },
      {},
      ['fault', 'a', 'a?'],
    ],
    [
      'is that fault also beside a hosted channel on air',
      { local: told('event', { a: 1 }, gone), hosted: told('poll', { x: 1 }) },
      { opened: 'x' },
      ['fault', 'a', 'x a?'],
    ],
    [
      'is of a hosted channel on air while the service, which had none, is down',
      { local: told('event', { a: 0 }), hosted: told('poll', { x: 1 }) },
      { isServiceDown: true },
      ['live', 'x', 'x'],
    ],
    [
      'believes a hosted service that missed a poll or two',
      { hosted: told('poll', { x: 1 }, { ...silent, heard: now - 20_000 }) },
      {},
      ['live', 'x', 'x'],
    ],
    [
      'is a fault when a hosted service was on air and is silent',
      { hosted: told('poll', { x: 1 }, silent) },
      {},
      ['fault', 'x', 'x?'],
    ],
    [
      'is of what is on air here, whatever a silent host said last',
      { local: told('event', { a: 1 }), hosted: told('poll', { x: 1 }, silent) },
      { opened: 'x' },
      ['live', 'a', 'a x?'],
    ],
    [
      'is of a hosted channel whose events come, while the service is down',
      { hosted: told('event', { x: 1 }) },
      { isServiceDown: true },
      ['live', 'x', 'x'],
    ],
    [
      'believes a hosted service whose events were just lost',
      { hosted: told('event', { x: 1 }, { fault: 'lost' }) },
      {},
      ['live', 'x', 'x'],
    ],
    [
      'is a fault when the events of a hosted service are lost for long',
      { hosted: told('event', { x: 1 }, { fault: 'lost', heard: now - 20_001 }) },
      {},
      ['fault', 'x', 'x?'],
    ],
    [
      'is a fault after this computer slept, also of a hosted channel',
      { hosted: told('event', { x: 1 }, { fault: 'slept' }) },
      {},
      ['fault', 'x', 'x?'],
    ],
    [
      'is idle beside a silent host that had nothing on air',
      { local: told('event', { a: 0 }), hosted: told('poll', { x: 0 }, silent) },
      {},
      ['idle', undefined, ''],
    ],
  ])('%s', (_says, profiles, more, expected) => {
    expect(seen(profiles, more)).toEqual(expected)
  })
})
