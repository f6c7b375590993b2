import { afterEach, beforeEach, expect, it } from 'vitest'
import { speakingLimits } from '../../contract/link/rooms.ts'
import { systemClock } from '../../platform/clock.ts'
import { defineScript } from '../redis/redis-scripts.ts'
import { openNodes } from '../redis/testing/nodes.ts'
import { describeOnRedis } from '../testing/engines.ts'
import { eventually } from '../testing/eventually.ts'
import { createRoomGate } from './room-gate.ts'
import type { Room } from './room.ts'
import { createSharedSpeech, type SharedLine } from './shared-speech.ts'

const line = (accid: string, clientId: string, more: Partial<SharedLine> = {}): SharedLine => ({
  roomid: 7,
  uid: 1,
  accid,
  clientId,
  slow: 0,
  ...more,
})
const spoken = { lines: 1, bytes: 10, subnet: '192.0.2.1' }

describeOnRedis('what is said at the nodes of a cluster', () => {
  let nodes: Awaited<ReturnType<typeof openNodes>>
  beforeEach(async () => void (nodes = await openNodes()))
  afterEach(() => nodes.close())
  const speeches = () => [createSharedSpeech(nodes.one), createSharedSpeech(nodes.other)] as const

  it('is one line of an account in the time of slow mode, of however many at once', async () => {
    const both = speeches()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => both[n % 2]!.take(line('ann', `c${n}`, { slow: 30 }))),
    )
    expect(answers.filter((notSaid) => notSaid === undefined)).toHaveLength(1)
    expect(answers.find((notSaid) => notSaid)).toEqual({ because: 'slow', seconds: 30 })
    expect(await both[0].take(line('bob', 'b', { slow: 30 }))).toBeUndefined()
    expect(await both[0].take(line('ann', 'c', { slow: 30, roomid: 8 }))).toBeUndefined()
    expect(nodes.logged).toEqual([])
  })

  it('may be said again under its id, and the next one when the time is over', async () => {
    const [one, other] = speeches()
    expect(await one.take(line('ann', 'c1', { slow: 1 }))).toBeUndefined()
    expect(await other.take(line('ann', 'c2', { slow: 1 }))).toEqual({ because: 'slow', seconds: 1 })
    expect(await other.take(line('ann', 'c1', { slow: 1 }))).toBeUndefined()
    await eventually(async () => expect(await other.take(line('ann', 'c2', { slow: 1 }))).toBeUndefined())
  })

  it('goes by slow mode as it is now: longer, shorter, none', async () => {
    const [one, other] = speeches()
    expect(await one.take(line('ann', 'c1', { slow: 1 }))).toBeUndefined()
    const said = performance.now()
    await eventually(() => expect(performance.now() - said).toBeGreaterThan(1100))
    expect(await other.take(line('ann', 'c2', { slow: 3600 }))).toMatchObject({ because: 'slow' })
    expect(await other.take(line('ann', 'c2', { slow: 0 }))).toBeUndefined()
    expect(await other.take(line('ann', 'c2', { slow: 1 }))).toBeUndefined()
  })

  it('holds nobody up by a time that is ahead, as the clock of Redis was set back', async () => {
    const [one] = speeches()
    await one.take(line('ann', 'c1', { slow: 30 }))
    await nodes.one.run(defineScript(`redis.call('HINCRBY', KEYS[1], 'at', 3600000)`), ['slow:7 ann'], [])
    expect(await one.take(line('ann', 'c2', { slow: 30 }))).toBeUndefined()
  })

  it('is as much as an account may say at all of them, which comes back with time', async () => {
    const both = speeches()
    const { atOnce, perSecond } = speakingLimits.account.lines
    const answers = await Promise.all(
      Array.from({ length: 2 * atOnce }, (_, n) => both[n % 2]!.take(line('ann', `c${n}`, { spoken }))),
    )
    const count = answers.filter((notSaid) => notSaid === undefined).length
    expect(count).toBeGreaterThanOrEqual(atOnce)
    expect(count).toBeLessThanOrEqual(atOnce + 2 * perSecond)
    // Time goes on meanwhile, so that also the last one may be said.
    const refused = answers.filter((notSaid) => notSaid !== undefined)
    expect(refused).toEqual(refused.map(() => ({ because: 'rate', seconds: 1 })))
    // Another account of the address.
    expect(await both[0].take(line('bob', 'b', { spoken }))).toBeUndefined()
    await eventually(async () => expect(await both[1].take(line('ann', 'later', { spoken }))).toBeUndefined())
  })

  it('is as much as an address may say, by bytes too, but for this computer', async () => {
    const both = speeches()
    const big = { lines: 1, bytes: 16 * 1024, subnet: '192.0.2.1' }
    const sayAs = (n: number, given = big) => both[n % 2]!.take(line(`a${n}`, 'c', { spoken: given }))
    const answers = []
    for (let n = 0; n < 12; n++) answers.push(await sayAs(n))
    expect(answers.filter((notSaid) => notSaid === undefined).length).toBeLessThan(11)
    expect(answers.find((notSaid) => notSaid !== undefined)).toMatchObject({ because: 'rate' })
    for (let n = 20; n < 40; n++) expect(await sayAs(n, { ...big, subnet: '127.0.0.1' })).toBeUndefined()
  })

  it('leaves nothing of a line that is refused: neither its bytes nor its time', async () => {
    const [one, other] = speeches()
    const huge = { lines: 1, bytes: 40 * 1024, subnet: '127.0.0.1' }
    expect(await one.take(line('ann', 'c1', { spoken: huge }))).toBeUndefined()
    expect(await other.take(line('ann', 'c2', { spoken: huge, slow: 30 }))).toMatchObject({ because: 'rate' })
    expect(await other.take(line('ann', 'c3', { slow: 30 }))).toBeUndefined()
    expect(await one.take(line('ann', 'c4', { slow: 30, spoken: huge }))).toMatchObject({ because: 'slow' })
  })
})

describeOnRedis('the gates of a room at two nodes', () => {
  let nodes: Awaited<ReturnType<typeof openNodes>>
  beforeEach(async () => void (nodes = await openNodes()))
  afterEach(() => nodes.close())
  const gates = () => {
    const row = { roomid: 7, uid: 1, creator: 'host', muted: 0, slow: 30 }
    const room = { row, members: new Map(), inside: new Map(), listeners: new Map() }
    const [one, other] = [nodes.one, nodes.other].map((redis) =>
      createRoomGate({
        words: { catches: (_uid, text) => text.includes('rude') },
        names: { of: () => undefined, give: (_room, _accid, name) => ({ name }) },
        deliveries: { take: () => 0 },
        clock: systemClock,
        redis,
      }),
    )
    const say = (gate: typeof one, from: string, text: string): Promise<unknown> =>
      gate!.speakTogether!(room as unknown as Room, { from, clientId: text, texts: [text] }).catch(
        (error: unknown) => (error as Error).message,
      )
    return { one, other, say, row }
  }
  const tooSoon = 'slow mode: 30 seconds between two lines'

  it('keep slow mode together, but not for the creator, and by what it is now', async () => {
    const { one, other, say, row } = gates()
    expect([await say(one, 'ann', 'a'), await say(other, 'ann', 'b')]).toEqual([false, tooSoon])
    expect([await say(one, 'ann', 'a'), await say(other, 'bob', 'rude')]).toEqual([false, true])
    expect([await say(one, 'host', 'a'), await say(other, 'host', 'b')]).toEqual([false, false])
    row.slow = 0
    expect(await say(other, 'ann', 'c')).toBe(false)
    row.slow = 30
    expect(await say(other, 'ann', 'd')).toBe(tooSoon)
  })

  it('keep it each alone while Redis is away, from what was said there, and together afterwards', async () => {
    const { one, other, say } = gates()
    expect(await say(one, 'ann', 'a')).toBe(false)
    await nodes.kill()
    expect([await say(one, 'ann', 'b'), await say(other, 'ann', 'c')]).toEqual([tooSoon, false])
    expect(await say(other, 'ann', 'd')).toBe(tooSoon)
    await nodes.start()
    expect([await say(one, 'bob', 'a'), await say(other, 'bob', 'b')]).toEqual([false, tooSoon])
  })
})
