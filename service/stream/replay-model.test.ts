import {
  array,
  assert as holds,
  asyncProperty,
  boolean as anyBoolean,
  constantFrom,
  integer as anyInteger,
  record,
} from 'fast-check'
import { expect, it } from 'vitest'
import type { NewEvent } from '../events/event.ts'
import { message, startStream, teamMessage } from './testing/rig.ts'

const people = ['ann', 'bob', 'eve'] as const
const person = constantFrom(...people)
const someEvent = record({
  from: person,
  to: constantFrom(...people, 'team'),
  roam: anyBoolean(),
  offline: anyBoolean(),
  hidden: constantFrom(false, false, false, true),
  sync: constantFrom(true, true, false),
  extraRecipients: constantFrom(undefined, undefined, 'eve'),
})

it('gives exactly what each account missed, in order and once, for any events, devices and parts', async () => {
  const run = asyncProperty(
    array(someEvent, { minLength: 1, maxLength: 40 }),
    person,
    anyInteger({ min: 0, max: 40 }),
    anyInteger({ min: 0, max: 40 }),
    anyInteger({ min: 1, max: 7 }),
    anyInteger({ min: 1, max: 30 }),
    async (events, reader, taken, after, limit, since) => {
      const rig = await startStream()
      try {
        // eve joins the team later, ann is in it from the start, bob never.
        rig.teams.set('ann', [{ tid: 7, since: 1 }])
        rig.teams.set('eve', [{ tid: 7, since }])
        await Promise.all(
          events.map(({ from, to, roam, offline, hidden, sync, extraRecipients }) => {
            const more: Partial<NewEvent> = {
              keep: { history: true, roam, offline },
              hidden,
              sync,
              ...(extraRecipients && { extraRecipients: [extraRecipients] }),
            }
            return rig.stream.publish(to === 'team' ? teamMessage(from, 7, 'm', more) : message(from, to, 'm', more))
          }),
        )
        if (taken > 0) await rig.stream.received(1, reader, 'phone', taken)
        const border = Math.min(taken, events.length)
        const expected = events.flatMap(({ from, to, roam, offline, hidden, sync, extraRecipients }, index) => {
          const seq = index + 1
          const isMember = reader === 'ann' || (reader === 'eve' && seq >= since)
          const gets = (): boolean => {
            if (from === reader && !sync) return false
            if (hidden) return from === reader
            return extraRecipients === reader || (to === 'team' ? isMember : to === reader || from === reader)
          }
          return seq > after && (seq <= border ? roam : offline) && gets() ? [seq] : []
        })
        const given: number[] = []
        for (let at = after, more = true; more;) {
          const part = await rig.stream.since({ uid: 1, accid: reader, after: at, limit })
          expect(part.events.length).toBeLessThanOrEqual(limit)
          given.push(...part.events.map(({ seq }) => seq))
          ;({ seq: at, more } = part)
        }
        expect(given).toEqual(expected)
      } finally {
        await rig.close()
      }
    },
  )
  await holds(run, { numRuns: 60 })
})
