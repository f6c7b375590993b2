import { describe, expect, it } from 'vitest'
import type { AppEvent } from '../../contract/rpc/index.ts'
import { firstRecordingDefaults } from '../../contract/switched-recording.ts'
import { createEventHub } from './event-hub.ts'

const tallies = (at: number, profileId = 'local'): AppEvent => ({
  type: 'tallies',
  profileId,
  at,
  source: 'event',
  fault: null,
  tallies: [],
})
const push = (at: number): AppEvent => ({
  type: 'push',
  profileId: 'local',
  cid: 'c',
  at,
  kind: 'started',
  detail: null,
  remedy: null,
})
async function take(events: AsyncGenerator<AppEvent, void>, count: number): Promise<AppEvent[]> {
  const taken: AppEvent[] = []
  for (let one = 0; one < count; one++) {
    const next = await events.next()
    if (next.value) taken.push(next.value)
  }
  return taken
}

describe('a subscription', () => {
  it('begins with the newest state of every slice, and with no news', async () => {
    const hub = createEventHub()
    hub.post({
      type: 'settings',
      settings: {
        theme: 'dark',
        language: 'en',
        mutePresets: null,
        roomKeys: {},
        recording: firstRecordingDefaults,
        globalKeys: {},
        notices: [],
        startAtLogin: false,
        closeToTray: false,
      },
    })
    hub.post(tallies(1))
    hub.post(tallies(2))
    hub.post(push(3))
    hub.post({ type: 'channels', profileId: 'local' })
    const end = new AbortController()
    expect(await take(hub.subscribe(end.signal), 2)).toEqual([
      {
        type: 'settings',
        settings: {
          theme: 'dark',
          language: 'en',
          mutePresets: null,
          roomKeys: {},
          recording: firstRecordingDefaults,
          globalKeys: {},
          notices: [],
          startAtLogin: false,
          closeToTray: false,
        },
      },
      tallies(2),
    ])
    hub.forget('local')
    expect(await take(hub.subscribe(end.signal), 1)).toHaveLength(1)
  })

  it('holds at most one event of a slice and 200 push events for a page that does not read', async () => {
    const hub = createEventHub()
    const end = new AbortController()
    const events = hub.subscribe(end.signal)
    hub.post(tallies(0))
    await events.next()
    for (let at = 1; at <= 1_000; at++) {
      hub.post(push(at))
      hub.post(tallies(at))
    }
    const taken = await take(events, 201)
    expect(taken.filter((event) => event.type === 'push').map((event) => event.at)).toEqual(
      Array.from({ length: 200 }, (_, index) => 801 + index),
    )
    expect(taken.at(-1)).toEqual(tallies(1_000))
  })

  it('keeps begin and end of a push for a page that does not read, whoever is refused how often', async () => {
    const hub = createEventHub()
    const end = new AbortController()
    const events = hub.subscribe(end.signal)
    hub.post(tallies(0))
    await events.next()
    hub.post({ ...push(1), kind: 'started' } as AppEvent)
    for (let at = 2; at <= 1_000; at++) hub.post({ ...push(at), kind: 'refused', remedy: 'key' } as AppEvent)
    const taken = await take(events, 200)
    expect(taken[0]).toMatchObject({ type: 'push', at: 1, kind: 'started' })
    expect(taken.at(-1)).toMatchObject({ at: 1_000 })
  })

  it('goes on without an event of which the contract has members otherwise, which is told once', async () => {
    const told: string[] = []
    const hub = createEventHub((fault) => void told.push(fault))
    const events = hub.subscribe(new AbortController().signal)
    const wrong = [
      { ...tallies(1, 'hosted'), fault: 5 },
      { ...tallies(2, 'hosted'), fault: 6 },
      { type: 'no such', profileId: 'hosted' },
      { type: 'link', profileId: 'hosted', accid: 'ann', push: { t: 'friend', at: 'yesterday' } },
    ] as unknown as AppEvent[]
    for (const event of wrong) hub.post(event)
    hub.post(tallies(3))
    expect(await take(events, 1)).toEqual([tallies(3)])
    expect(await take(hub.subscribe(new AbortController().signal), 1)).toEqual([tallies(3)])
    expect(told).toEqual([
      expect.stringMatching(/^tallies: fault: /),
      'no event no such',
      expect.stringMatching(/^link: /),
    ])
  })

  it('ends with its page, and is counted', async () => {
    const hub = createEventHub()
    const counts: number[] = []
    hub.onSubscribers((count) => counts.push(count))
    const end = new AbortController()
    const next = hub.subscribe(end.signal).next()
    expect(hub.subscribers()).toBe(1)
    end.abort()
    expect((await next).done).toBe(true)
    expect(counts).toEqual([1, 0])
  })
})

it.each([
  [51, 150, 'the oldest refusal', 50, 150],
  [50, 151, 'the oldest event', 50, 150],
])('of %s refusals and %s other events that wait %s is dropped', async (refusals, others, _what, kept, left) => {
  const hub = createEventHub()
  const events = hub.subscribe(new AbortController().signal)
  hub.post(tallies(0))
  await events.next()
  for (let at = 1; at <= others; at++) hub.post(push(at))
  for (let at = 1; at <= refusals; at++) hub.post({ ...push(1_000 + at), kind: 'refused' } as AppEvent)
  const taken = await take(events, 200)
  const refused = taken.filter((event) => event.type === 'push' && event.kind === 'refused')
  expect([refused.length, taken.length - refused.length]).toEqual([kept, left])
  expect(taken[0]).toMatchObject({ at: others - left + 1 })
  expect(refused[0]).toMatchObject({ at: 1_000 + refusals - kept + 1 })
})
