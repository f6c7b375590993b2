import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createReplay, maxOffline } from './replay.ts'
import { message, startStream, teamMessage, textsOf, type StreamRig } from './testing/rig.ts'

let rig: StreamRig
beforeEach(async () => {
  rig = await startStream()
})
afterEach(() => rig.close())

const day = 86_400_000
const all = { history: true, roam: true, offline: true }
const missed = async (accid: string, after = 0): Promise<string[]> =>
  textsOf((await rig.stream.since({ uid: 1, accid, after, limit: 2000 })).events)
/** Acknowledges everything so far for a device. */
const takes = (accid: string, device: string): Promise<void> =>
  rig.stream.received(1, accid, device, rig.stream.committed())

describe('what a device missed', () => {
  it('gives the offline what is kept for them, and both sides their conversation', async () => {
    await rig.stream.publish(message('ann', 'bob', 'kept'))
    await rig.stream.publish(message('ann', 'bob', 'online only', { keep: { ...all, offline: false } }))
    await rig.stream.publish(message('ann', 'bob', 'does not roam', { keep: { ...all, roam: false } }))
    expect(await missed('bob')).toEqual(['kept', 'does not roam'])
    expect(await missed('ann')).toEqual(['kept', 'does not roam'])
    expect(await missed('eve')).toEqual([])
  })

  it('gives a device that comes later what roams, once another device has it', async () => {
    await rig.stream.publish(message('ann', 'bob', 'roams'))
    await rig.stream.publish(message('ann', 'bob', 'online only', { keep: { ...all, offline: false } }))
    await rig.stream.publish(message('ann', 'bob', 'stays', { keep: { ...all, roam: false } }))
    await takes('bob', 'phone')
    await rig.stream.publish(message('ann', 'bob', 'new', { keep: { ...all, roam: false } }))
    expect(await missed('bob')).toEqual(['roams', 'online only', 'new'])
    expect(await missed('bob', await rig.stream.cursor(1, 'bob', 'phone'))).toEqual(['new'])
  })

  it('ends at seven days, to the millisecond, for both', async () => {
    await rig.stream.publish(message('ann', 'bob', 'taken'))
    await takes('bob', 'phone')
    await rig.stream.publish(message('ann', 'bob', 'waiting'))
    rig.clock.advance(7 * day)
    expect(await missed('bob')).toEqual(['taken', 'waiting'])
    rig.clock.advance(1)
    expect(await missed('bob')).toEqual([])
    rig.keep.roamingDays = 8
    expect(await missed('bob')).toEqual(['taken'])
    rig.keep.offlineDays = 8
    expect(await missed('bob')).toEqual(['taken', 'waiting'])
  })

  it('finds its way past a long history', async () => {
    rig.teams.set('bob', [{ tid: 7, since: 1 }])
    for (let count = 0; count < 20; count++) {
      await rig.stream.publish(
        count % 2 ? message('ann', 'bob', `day ${count}`) : teamMessage('ann', 7, `day ${count}`),
      )
      rig.clock.advance(day)
    }
    const lastSeven = Array.from({ length: 7 }, (_, index) => `day ${index + 13}`)
    expect(await missed('bob')).toEqual(lastSeven)
    expect(await missed('bob')).toEqual(lastSeven)
    rig.keep.offlineDays = 19
    expect((await missed('bob')).length).toBe(19)
  })

  it('keeps the newest 1000 for who is offline, of accounts and teams together, and gives them by parts', async () => {
    rig.teams.set('bob', [{ tid: 7, since: 1 }])
    const count = maxOffline + 5
    await Promise.all(
      Array.from({ length: count }, (_, index) =>
        rig.stream.publish(index % 2 ? message('ann', 'bob', `m${index}`) : teamMessage('ann', 7, `m${index}`)),
      ),
    )
    const given: string[] = []
    for (let after = 0, more = true; more;) {
      const part = await rig.stream.since({ uid: 1, accid: 'bob', after, limit: 99 })
      expect(part.events.length).toBeLessThanOrEqual(99)
      given.push(...textsOf(part.events))
      ;({ seq: after, more } = part)
    }
    expect(given).toEqual(Array.from({ length: maxOffline }, (_, index) => `m${index + 5}`))
  })

  it('says where the next part begins, and the end of the stream when there is none', async () => {
    for (const text of ['one', 'two', 'three']) await rig.stream.publish(message('ann', 'bob', text))
    await rig.stream.publish(message('ann', 'eve', 'for another'))
    const first = await rig.stream.since({ uid: 1, accid: 'bob', after: 0, limit: 2 })
    expect([textsOf(first.events), first.seq, first.more]).toEqual([['one', 'two'], 2, true])
    const second = await rig.stream.since({ uid: 1, accid: 'bob', after: first.seq, limit: 2 })
    expect([textsOf(second.events), second.seq, second.more]).toEqual([['three'], 4, false])
    expect(second.events[0]).toMatchObject({ seq: 3, from: 'ann', frame: { t: 'message', seq: 3 } })
  })

  it("leaves the sender's other devices out where it is not synchronised", async () => {
    rig.teams.set('ann', [{ tid: 7, since: 1 }])
    rig.teams.set('bob', [{ tid: 7, since: 1 }])
    await rig.stream.publish(message('ann', 'bob', 'alone', { sync: false }))
    await rig.stream.publish(teamMessage('ann', 7, 'team', { sync: false }))
    expect(await missed('ann')).toEqual([])
    expect(await missed('bob')).toEqual(['alone', 'team'])
  })

  it('gives what is hidden to its sender alone', async () => {
    rig.teams.set('ann', [{ tid: 7, since: 1 }])
    rig.teams.set('bob', [{ tid: 7, since: 1 }])
    await rig.stream.publish(message('ann', 'bob', 'blacklisted', { hidden: true }))
    await rig.stream.publish(teamMessage('ann', 7, 'caught', { hidden: true }))
    expect(await missed('ann')).toEqual(['blacklisted', 'caught'])
    expect(await missed('bob')).toEqual([])
    expect((await rig.stream.unread(1, 'bob')).total).toBe(0)
  })

  it('gives a member what was sent since it came, a former member only what is also for it', async () => {
    await rig.stream.publish(teamMessage('ann', 7, 'before'))
    const { seq: since } = await rig.stream.publish(teamMessage('ann', 7, 'bob comes'))
    rig.teams.set('bob', [{ tid: 7, since }])
    await rig.stream.publish(teamMessage('ann', 7, 'after'))
    expect(await missed('bob')).toEqual(['bob comes', 'after'])
    rig.teams.delete('bob')
    await rig.stream.publish(teamMessage('ann', 7, 'bob goes', { extraRecipients: ['bob'] }))
    await rig.stream.publish(teamMessage('ann', 7, 'later'))
    expect(await missed('bob')).toEqual(['bob goes'])
  })

  it('names an event once to a member that it is also for', async () => {
    rig.teams.set('bob', [{ tid: 7, since: 1 }])
    await rig.stream.publish(teamMessage('ann', 7, 'once', { extraRecipients: ['bob'] }))
    expect(await missed('bob')).toEqual(['once'])
  })
})

it('ends before what is stored while it is read, as a later event may be seen and an earlier one not', async () => {
  rig.teams.set('bob', [{ tid: 5, since: 1 }])
  await rig.stream.publish(message('ann', 'bob', 'before'))
  let later: Promise<unknown> | undefined
  const db = rig.store.db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      // Between the inbox and the team.
      if (result.rows.some((row) => 'frame' in row))
        await (later ??= rig.stream
          .publish(message('ann', 'bob', 'missed'))
          .then(() => rig.stream.publish(teamMessage('ann', 5, 'seen'))))
      return result
    },
  })
  const { since } = createReplay({
    db,
    clock: rig.clock,
    memberships: { membershipsOf: (_uid, accid) => rig.teams.get(accid) ?? [] },
    keep: () => rig.keep,
    committed: rig.stream.committed,
  })
  const { events, seq } = await since({ uid: 1, accid: 'bob', after: 0, limit: 10 })
  expect([textsOf(events), seq, rig.stream.committed()]).toEqual([['before'], 1, 3])
})

describe('places of devices', () => {
  it('are undefined for a new device, and never go back', async () => {
    for (let index = 0; index < 10; index++) await rig.stream.publish(message('ann', 'bob', 'm'))
    expect(await rig.stream.cursor(1, 'bob', 'phone')).toBeUndefined()
    await rig.stream.received(1, 'bob', 'phone', 9)
    await rig.stream.received(1, 'bob', 'phone', 4)
    expect(await rig.stream.cursor(1, 'bob', 'phone')).toBe(9)
    expect(await rig.stream.cursor(2, 'bob', 'phone')).toBeUndefined()
    // Nothing unsent can be acknowledged.
    await rig.stream.received(1, 'bob', 'phone', Number.MAX_SAFE_INTEGER)
    expect(await rig.stream.cursor(1, 'bob', 'phone')).toBe(10)
  })

  it('are kept for the fifty that were last here', async () => {
    await Promise.all(Array.from({ length: 52 }, () => rig.stream.publish(message('ann', 'bob', 'm'))))
    for (let device = 1; device <= 52; device++) await rig.stream.received(1, 'bob', `d${device}`, device)
    const kept = await rig.store.db.selectFrom('deviceCursor').select('seq').orderBy('seq').execute()
    expect(kept.map(({ seq }) => seq)).toEqual(Array.from({ length: 50 }, (_, index) => index + 3))
  })
})
