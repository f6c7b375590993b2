import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import { createMemoryJournal } from '../journal/memory-journal.ts'
import { presenceNodes } from '../presence/testing/nodes.ts'
import type { ApplicationTable } from '../storage/schema.ts'
import { openStore } from '../storage/testing/open-store.ts'
import { describeOnRedis } from '../testing/engines.ts'
import { eventually } from '../testing/eventually.ts'
import { createPlayers } from './players.ts'
import { createViewersElsewhere } from './viewers-elsewhere.ts'
import { endSurplus } from './viewers-surplus.ts'
import { createWatchLimits } from './watch-limits.ts'

const uid = 1
const cid = 'a'.repeat(32)
const everybody = { kind: 'everybody' } as const
const ends: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** The limits of some services over one database. */
async function services(names: string) {
  const folder = mkdtempSync(join(tmpdir(), 'sidestage-limits-'))
  ends.push(() => rmSync(folder, { recursive: true, force: true }))
  const store = await openStore(folder)
  ends.push(() => store.close())
  await store.db
    .insertInto('application')
    .values({ uid, name: 'main', created: 1 } as ApplicationTable)
    .execute()
  const nodes = presenceNodes()
  ends.push(() => nodes.close())
  return Promise.all(
    [...names].map(async (name) => {
      const { presence, kill } = await nodes.make(name)
      const players = createPlayers(systemClock)
      const elsewhere = createViewersElsewhere({ presence, uids: [uid], clock: systemClock })
      const limits = await createWatchLimits({
        db: store.db,
        journal: createMemoryJournal(store),
        uids: [uid],
        uidOf: () => uid,
        players,
        targetsKbps: () => 0,
        pushKbps: () => 1_000,
        elsewhere,
        clock: systemClock,
        timeZone: 'UTC',
        failed(error) {
          throw error
        },
        changed: () => undefined,
      })
      ends.push(() => limits.close())
      ends.push(
        endSurplus({
          presence,
          node: name,
          uids: [uid],
          uidOf: () => uid,
          players,
          elsewhere,
          maxViewers: (of) => limits.of(of).maxViewers,
          clock: systemClock,
        }),
      )
      await presence.start()
      let addresses = 0
      const ended: string[] = []
      return {
        players,
        limits,
        kill,
        admits: () =>
          limits.admits(uid, cid, {
            page: undefined,
            from: `192.0.${name.charCodeAt(0)}.${++addresses}`,
            ground: everybody,
          }),
        play: () => players.add({ cid, ground: everybody, end: () => undefined }),
        /** Plays as it is let in, until it is ended. */
        watch(who: string) {
          const leave = players.add({
            cid,
            ground: everybody,
            end() {
              leave()
              ended.push(who)
            },
          })
        },
        ended,
      }
    }),
  )
}

describeOnRedis('limits of viewers over several services', () => {
  it('count who watches at others, and give the places of one that is lost', async () => {
    const [a, b] = await services('ab')
    for (const { limits } of [a!, b!]) await limits.update(uid, { maxViewers: 3 })
    a!.play()
    const leave = a!.play()
    await eventually(() => expect(b!.limits.figures(uid).viewers).toBe(2))
    expect([a!.admits(), b!.admits()]).toEqual([true, true])
    b!.play()
    await eventually(() => expect(a!.limits.figures(uid).viewers).toBe(3))
    expect([a!.admits(), b!.admits()]).toEqual([false, false])
    leave()
    await eventually(() => expect(b!.admits()).toBe(true))
    a!.play()
    await eventually(() => expect(b!.admits()).toBe(false))
    await b!.kill()
    await eventually(() => expect(a!.admits()).toBe(true))
    expect(a!.limits.figures(uid).viewers).toBe(2)
  })

  it('end the newest of those whom several let in at once, and nobody who came before a limit was lowered', async () => {
    const [a, b] = await services('ab')
    for (const { limits } of [a!, b!]) await limits.update(uid, { maxViewers: 3 })
    const later = async () => {
      const now = systemClock.now()
      await eventually(() => expect(systemClock.now()).toBeGreaterThan(now + 1))
    }
    expect([a!.admits(), b!.admits()]).toEqual([true, true])
    // Each has room for three before it hears of the other.
    for (const each of ['1', '2', '3']) {
      a!.watch(`a${each}`)
      await later()
      b!.watch(`b${each}`)
      await later()
    }
    await eventually(() => expect([...a!.ended, ...b!.ended].toSorted()).toEqual(['a3', 'b2', 'b3']))
    await eventually(() => expect([a!, b!].map(({ limits }) => limits.figures(uid).viewers)).toEqual([3, 3]))
    b!.players.polled(cid, 'hls', everybody)
    await eventually(() => expect(b!.players.isPolling(cid, 'hls')).toBe(false))
    for (const { limits } of [a!, b!]) await limits.update(uid, { maxViewers: 1 })
    b!.watch('newest')
    await eventually(() => expect(b!.ended.at(-1)).toBe('newest'))
    await eventually(() => expect([a!, b!].map(({ limits }) => limits.figures(uid).viewers)).toEqual([3, 3]))
    expect([a!.ended.length, b!.ended.length]).toEqual([1, 3])
  })

  it('add up the upload, and what was sent in the month', async () => {
    const [a, b] = await services('ab')
    a!.players.sent(everybody, '192.0.2.1', 3_000_000)
    b!.players.sent(everybody, '192.0.2.2', 2_000_000)
    await eventually(() => expect(b!.limits.figures(uid).kbps).toBeGreaterThan(2500))
    await eventually(() =>
      expect([a!, b!].map(({ limits }) => limits.figures(uid).monthBytes)).toEqual([5_000_000, 5_000_000]),
    )
  })
})
