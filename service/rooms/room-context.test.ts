import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { roomNotices } from '../../contract/catalogue/notices.ts'
import { mustLead } from './room-context.ts'
import { startStoredRoom, storedUid, type StoredRoom, type ToldFrame } from './testing/stored-room.ts'

let rig: StoredRoom
beforeEach(async () => {
  rig = await startStoredRoom()
  onTestFinished(() => rig.close())
})
const noticeOf = (frame: ToldFrame) =>
  JSON.parse(String(frame['attach'])) as { readonly id: number; readonly data: Readonly<Record<string, unknown>> }
const ids = (told: ToldFrame[]): number[] => told.splice(0).map((frame) => noticeOf(frame).id)
const entered = (accid: string, more: object = {}) =>
  ({ id: roomNotices.entered, operator: accid, clientType: 'WEB', target: [accid], ...more }) as const
const muted = (target: string) =>
  ({ id: roomNotices.muted, operator: 'cara', clientType: 'REST', target: [target] }) as const

describe('a commit', () => {
  it('stores the change, then applies it, and tells those inside', async () => {
    const { context, room, reread, enter } = rig
    const told = enter('mona')
    await context.commit(room, { room: { ...room.row, name: 'new' } }, [muted('mona')])
    expect([room.row.name, (await reread()).row.name]).toEqual(['new', 'new'])
    expect(told).toMatchObject([
      { t: 'roomMessage', roomid: 7, from: 'cara', fromNick: 'CARA', fromClientType: 'REST', type: 5 },
    ])
    expect(noticeOf(told[0]!)).toEqual({
      id: 305,
      data: { operator: 'cara', opeNick: 'CARA', target: ['mona'], tarNick: ['MONA'], ext: '' },
    })
  })

  it('that cannot be stored changes nothing and is told to nobody', async () => {
    const { context, room, store, reread, enter, copies, touched } = rig
    const told = enter('mona')
    await store.db.schema.alterTable('roomMember').renameTo('away').execute()
    const member = { roomid: 7, accid: 'mona', admin: 0, ordinary: 0, blacklisted: 0, muted: 1, mutedUntil: 0 }
    const change = { room: { ...room.row, name: 'new' }, member: { ...member, mutedBy: null, updated: 1 } }
    await expect(context.commit(room, change, [muted('mona')])).rejects.toThrow('roomMember')
    await store.db.schema.alterTable('away').renameTo('roomMember').execute()
    expect([room.row.name, room.members.size, told, copies, touched()]).toEqual(['room', 0, [], [], 0])
    expect((await reread()).row.name).toBe('room')
  })

  it('keeps measures in the history under the msgid of their push, and no entry or change of the queue', async () => {
    const { context, room, enter, kept } = rig
    const told = enter('mona')
    await context.commit(room, {}, [muted('mona'), entered('mona')])
    await context.commit(room, {}, [{ id: roomNotices.queueChanged, operator: 'cara', clientType: 'REST' }])
    expect(kept).toMatchObject([{ line: 1, roomid: 7, uid: storedUid, sender: 'cara', type: 5, state: 'shown' }])
    expect([told[0]!['msgid'], told[0]!['at'], told[0]!['attach']]).toEqual(['1', kept[0]!.at, kept[0]!.attach])
    expect(told[1]!['msgid']).toBe('02'.repeat(16))
    const times = told.map(({ at }) => Number(at))
    expect(times).toEqual([...new Set(times)].toSorted((one, other) => one - other))
  })

  it('copies what was done where copies are wanted, and not who comes and goes', async () => {
    const { context, room, copies, wanted } = rig
    await context.commit(room, {}, [entered('mona'), muted('mona')])
    expect(copies).toMatchObject([{ eventType: '4', roomId: '7', fromAccount: 'cara', msgType: 'NOTIFICATION' }])
    wanted.copies = false
    await context.commit(room, {}, [muted('mona')])
    expect(copies).toHaveLength(1)
  })

  it('tells in a large room only creator and admins of who comes and goes, and everybody of the rest', async () => {
    const { context, room, enter, mark, limits } = rig
    mark('adam', { admin: 1 })
    const [cara, adam, mona] = [enter('cara'), enter('adam'), enter('mona')]
    limits.roomNotices = 3
    await context.commit(room, {}, [entered('stan')])
    expect([ids(cara), ids(adam), ids(mona)]).toEqual([[301], [301], [301]])
    limits.roomNotices = 2
    await context.commit(room, {}, [entered('stan')])
    await context.commit(room, {}, [muted('stan')])
    expect([ids(cara), ids(adam), ids(mona)]).toEqual([[301, 305], [301, 305], [305]])
  })

  it('tells what is confidential of who comes to those who lead and to themselves only', async () => {
    const { context, room, enter, mark } = rig
    mark('adam', { admin: 1 })
    const told = { cara: enter('cara'), adam: enter('adam'), mona: enter('mona'), mike: enter('mike') }
    await context.commit(room, {}, [entered('mona', { confidential: { muted: true } })])
    for (const [accid, frames] of Object.entries(told))
      expect([accid, noticeOf(frames[0]!).data['muted']]).toEqual([accid, accid === 'mike' ? undefined : true])
    rig.limits.roomNotices = 1
    await context.commit(room, {}, [entered('mona', { confidential: { muted: true } })])
    expect([told.cara.length, told.mike.length]).toEqual([2, 1])
    expect(noticeOf(told.cara[1]!).data).toMatchObject({ muted: true })
  })

  it('says that figures may have changed where people come or go and where members or robots change', async () => {
    const { context, room, touched } = rig
    const counted = async (
      ...commit: [Parameters<typeof context.commit>[1], Parameters<typeof context.commit>[2]?]
    ) => {
      const before = touched()
      await context.commit(room, ...commit)
      return touched() - before
    }
    const member = { roomid: 7, accid: 'mona', admin: 0, ordinary: 0, blacklisted: 0, muted: 1, mutedUntil: 0 }
    expect([
      await counted({}, [entered('mona')]),
      await counted({ member: { ...member, mutedBy: null, updated: 1 } }, [muted('mona')]),
      await counted({ robots: [{ roomid: 7, accid: 'stan', ext: '', entered: 1 }] }),
      await counted({ robotsOut: ['stan'] }),
      await counted({ room: { ...room.row, name: 'new' } }, [muted('mona')]),
    ]).toEqual([1, 1, 1, 1, 0])
  })
})

describe('the name of somebody', () => {
  it('is that shown inside, then the last one of the room, then that of the account', () => {
    const { context, room, names, enter, registry } = rig
    expect([context.nickOf(room, 'mona'), context.nickOf(room, 'gone')]).toEqual(['MONA', ''])
    names.set('mona', 'Kestrel')
    expect(context.nickOf(room, 'mona')).toBe('Kestrel')
    enter('mona')
    registry.enter(room, 'mona', 'mona', { write: () => undefined }, { nick: 'Merlin', avatar: '', ext: '' })
    expect(context.nickOf(room, 'mona')).toBe('Merlin')
  })

  it('is that of the account for creator and admins who are not inside, unless it has none', () => {
    const { context, room, names, mark, accounts } = rig
    for (const accid of ['cara', 'adam']) names.set(accid, 'Kestrel')
    mark('adam', { admin: 1 })
    expect([context.nickOf(room, 'cara'), context.nickOf(room, 'adam')]).toEqual(['CARA', 'ADAM'])
    accounts.set('cara', '')
    expect(context.nickOf(room, 'cara')).toBe('Kestrel')
  })
})

describe('what a handler demands', () => {
  it('is a room of the application, else the code of the operation', async () => {
    const { context, room } = rig
    expect(context.must(storedUid, 7, 404)).toBe(room)
    for (const [uid, roomid] of [
      [storedUid + 1, 7],
      [storedUid, 8],
    ] as const)
      for (const missing of [404, 414] as const) {
        expect(() => context.must(uid, roomid, missing)).toThrow(
          expect.objectContaining({ code: missing, reason: 'missing' }),
        )
        await expect(async () => context.on(uid, roomid, missing, () => Promise.resolve())).rejects.toMatchObject({
          code: missing,
        })
      }
  })

  it('is accounts that exist; in a room also those gone on whom there is a measure', () => {
    const { context, room, mark } = rig
    mark('guest-1', { blacklisted: 1 })
    context.mustExist(storedUid, ['cara', 'mona'], 404)
    context.mustExist(storedUid, ['guest-1'], 404, room)
    for (const [accids, of] of [
      [['cara', 'guest-1'], undefined],
      [['guest-2'], room],
    ] as const)
      expect(() => context.mustExist(storedUid, accids, 414, of)).toThrow(
        expect.objectContaining({ code: 414, reason: 'missing', message: `${accids.at(-1)} is not registered` }),
      )
  })

  it('is creator or admin', () => {
    const { room, mark } = rig
    mark('adam', { admin: 1 })
    mark('mona', { ordinary: 1 })
    expect([mustLead(room, 'cara'), mustLead(room, 'adam')]).toEqual(['creator', 'admin'])
    for (const accid of ['mona', 'stan'])
      expect(() => mustLead(room, accid)).toThrow(expect.objectContaining({ code: 403 }))
  })

  it('is done in turn in a room: the second begins when the first is over', async () => {
    const { context } = rig
    const order: string[] = []
    const work = (name: string) =>
      context.on(storedUid, 7, 404, async () => {
        order.push(`${name} begins`)
        await new Promise((resolve) => setImmediate(resolve))
        order.push(`${name} ends`)
      })
    await Promise.all([work('one'), work('two')])
    expect(order).toEqual(['one begins', 'one ends', 'two begins', 'two ends'])
  })
})
