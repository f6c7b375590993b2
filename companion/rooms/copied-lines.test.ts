import { createHash } from 'node:crypto'
import { spawn } from 'node:child_process'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { roomMessageCopy } from '../../contract/callbacks/copy-builders.ts'
import { copyHeaders } from '../../contract/callbacks/copy.ts'
import { scratch, until } from '../testing/rig.ts'
import { readCopiedLine, type SaidLine } from './copied-line.ts'
import { openCopiedLines, type CopiedLines } from './copied-lines.ts'

const now = 1_800_000_000_000
const copy = (clientId: string, at: number, more: Partial<Parameters<typeof roomMessageCopy>[0]> = {}) =>
  roomMessageCopy({
    roomid: 7,
    from: 'ana',
    nick: 'Ana',
    clientType: 'WEB',
    at,
    type: 0,
    attach: `said ${clientId}`,
    clientId,
    ...more,
  })
const line = (clientId: string, at: number, more: object = {}): SaidLine =>
  readCopiedLine({ ...copy(clientId, at), ...more }, now) ?? expect.fail('no line')

describe('a copy of a line', () => {
  it('is read as the link would push it', () => {
    expect(
      readCopiedLine(copy('c1', now - 5, { type: 1, attach: '{"url":"u"}', avatar: 'a', fromExt: 'f', ext: 'e' }), now),
    ).toEqual({
      t: 'roomMessage',
      roomid: 7,
      msgid: expect.stringMatching(/^c[0-9a-f]{31}$/) as string,
      at: now - 5,
      from: 'ana',
      fromNick: 'Ana',
      fromAvatar: 'a',
      fromExt: 'f',
      fromClientType: 'WEB',
      type: 1,
      attach: '{"url":"u"}',
      ext: 'e',
      clientId: 'c1',
    })
  })

  it('may lack all but the room and the content', () => {
    expect(readCopiedLine({ eventType: '4', roomId: '7', attach: 'x' }, now)).toMatchObject({
      roomid: 7,
      at: now,
      from: '',
      type: 100,
      attach: 'x',
    })
    const without = ['roomId', 'attach'].map((name) =>
      Object.fromEntries(Object.entries(copy('c', now)).filter(([key]) => key !== name)),
    )
    expect(without.map((fields) => readCopiedLine(fields as Record<string, string>, now))).toEqual([
      undefined,
      undefined,
    ])
    for (const roomId of ['0', '-1', '1e3', ' 7', '9'.repeat(17), '9'.repeat(16)])
      expect(readCopiedLine({ ...copy('c', now), roomId }, now)).toBeUndefined()
  })

  it('is bounded in length and in time, and is the same line whoever brings it', () => {
    expect(readCopiedLine({ ...copy('c', now), attach: 'x'.repeat(8193) }, now)).toBeUndefined()
    expect(line('c', now, { fromNick: 'n'.repeat(5000), fromAvator: 'a'.repeat(5000) })).toMatchObject({
      fromNick: 'n'.repeat(128),
    })
    expect(line('c', now, { fromAvator: 'a'.repeat(5000) })).not.toHaveProperty('fromAvatar')
    expect(line('c', now, { msgTimestamp: '9'.repeat(15) }).at).toBe(now + 300_000)
    expect(line('c', now, { msgType: 'DATATUNNEL_NEW' }).type).toBe(100)
    expect(line('c', 1).msgid).toBe(line('c', 2, { resendFlag: '1', attach: 'again' }).msgid)
    expect(line('c', 1).msgid).not.toBe(line('c', 1, { fromAccount: 'mei' }).msgid)
    const nameless = { eventType: '4', roomId: '7', fromAccount: 'ana', msgTimestamp: '5' }
    const ids = ['one', 'two', 'one'].map((attach) => readCopiedLine({ ...nameless, attach }, now)?.msgid)
    expect([ids[0] === ids[2], ids[0] === ids[1]]).toEqual([true, false])
  })
})

describe('what a copy of a line is read as', () => {
  it('has the kind of its name, each by itself', () => {
    const types = ['TEXT', 'PICTURE', 'AUDIO', 'VIDEO', 'LOCATION', 'NOTIFICATION', 'FILE', 'TIPS', 'CUSTOM']
    expect(types.map((msgType) => line('c', now, { msgType }).type)).toEqual([0, 1, 2, 3, 4, 5, 6, 10, 100])
  })

  it('has the time of now where its own is none, and its own where that is near', () => {
    for (const msgTimestamp of ['', '-5', '1.5', 'soon', '0'])
      expect(line('c', 1, { msgTimestamp }).at, msgTimestamp).toBe(now)
    expect(line('c', 1, { msgTimestamp: String(now + 300_000) }).at).toBe(now + 300_000)
    expect(line('c', 1, { msgTimestamp: String(now + 300_001) }).at).toBe(now + 300_000)
    expect(line('c', 1, { msgTimestamp: '7' }).at).toBe(7)
  })

  it('has a sender in lower case, and texts of bounded lengths', () => {
    expect(line('c', 1, { fromAccount: `M${'x'.repeat(100)}` }).from).toBe(`m${'x'.repeat(63)}`)
    expect(line('c', 1, { fromClientType: 'x'.repeat(20) }).fromClientType).toBe('x'.repeat(16))
    expect(line('c', 1, { attach: 'x'.repeat(8_192) }).attach).toHaveLength(8_192)
    // A nickname that is cut within a letter of two parts stays text.
    expect(line('c', 1, { fromNick: `${'x'.repeat(127)}\u{1F388}` }).fromNick.isWellFormed()).toBe(true)
    for (const [name, member, most] of [
      ['fromAvator', 'fromAvatar', 1_024],
      ['fromExt', 'fromExt', 4_096],
      ['ext', 'ext', 4_096],
    ] as const) {
      expect(line('c', 1, { [name]: 'x'.repeat(most) })).toHaveProperty(member, 'x'.repeat(most))
      expect(line('c', 1, { [name]: 'x'.repeat(most + 1) })).not.toHaveProperty(member)
      expect(line('c', 1, { [name]: '' })).not.toHaveProperty(member)
    }
    expect(line('x'.repeat(128), 1).clientId).toHaveLength(128)
    expect(line('x'.repeat(129), 1)).not.toHaveProperty('clientId')
  })

  it('is told apart by the id of the sender, else by that of the server', () => {
    const ofServer = (msgidServer: string) => line('', 1, { msgidClient: '', msgidServer }).msgid
    expect([ofServer('1') === ofServer('1'), ofServer('1') === ofServer('2')]).toEqual([true, false])
    expect(line('c', 1, { msgidServer: '1' }).msgid).toBe(line('c', 1, { msgidServer: '2' }).msgid)
  })
})

describe('lines of hosted rooms', () => {
  let place: ReturnType<typeof scratch>
  let lines: CopiedLines
  const file = (): string => path.join(place.dir, 'room-copies.db')
  const open = (most?: { room: number; profile: number }): void => {
    lines = openCopiedLines(file(), most)
  }
  const texts = (roomid = 7, more: object = {}): string[] =>
    lines.list({ profileId: 'p', roomid, notices: true, limit: 1000, ...more }).map(({ attach }) => attach)
  beforeEach(() => {
    place = scratch()
    open()
  })
  afterEach(() => {
    lines.close()
    place[Symbol.dispose]()
  })

  it('stand in order of their time, each once, over a restart, and are found by person and time', () => {
    const arrival = { at: now, verified: false }
    for (const [id, at] of [
      ['b', 20],
      ['c', 30],
      ['a', 10],
    ] as const)
      expect(lines.keep('p', line(id, at), arrival)).toBe('new')
    expect(lines.keep('p', line('b', 20), arrival)).toBe('known')
    expect(lines.keep('p', line('d', 40, { fromAccount: 'MEI' }), { at: now + 1, verified: true })).toBe('new')
    lines.close()
    open()
    expect(lines.keep('p', line('c', 30), arrival)).toBe('known')
    expect(texts()).toEqual(['said d', 'said c', 'said b', 'said a'])
    expect(texts(7, { from: 'ana', begin: 20, end: 30 })).toEqual(['said c', 'said b'])
    expect(texts(7, { from: 'mei' })).toEqual(['said d'])
    expect(texts(7, { limit: 1 })).toEqual(['said d'])
    lines.keep('p', line('n', 50, { msgType: 'NOTIFICATION', attach: '{}' }), arrival)
    expect([texts()[0], texts(7, { notices: false })[0]]).toEqual(['{}', 'said d'])
    expect([texts(8), lines.list({ profileId: 'other', roomid: 7, notices: true, limit: 9 })]).toEqual([[], []])
    expect(lines.last('p', 7)).toEqual({ at: now + 1, verified: true })
  })

  it('are read on before one of them, each once, also those of one moment', () => {
    for (let index = 0; index < 7; index++) lines.keep('p', line(`i${index}`, 10), undefined)
    const ids: string[] = []
    for (let before: string | undefined; ; before = ids.at(-1)) {
      const part = lines.list({ profileId: 'p', roomid: 7, notices: true, limit: 3, before })
      if (part.length === 0) break
      ids.push(...part.map(({ msgid }) => msgid))
    }
    expect([ids.length, new Set(ids).size]).toEqual([7, 7])
  })

  it('that were said here wait for their copy, which is no second line', () => {
    expect(lines.keep('p', line('a', 10), undefined)).toBe('new')
    expect(lines.last('p', 7)).toBeUndefined()
    expect(lines.keep('p', line('a', 10), { at: now, verified: true })).toBe('known')
    expect(lines.last('p', 7)).toEqual({ at: now, verified: true })
  })

  it('are bounded per room and per profile, the oldest first, whichever room is busy', () => {
    lines.close()
    open({ room: 100, profile: 150 })
    // Two rooms in turn: neither escapes by the parity of its numbers.
    for (let index = 0; index < 400; index++)
      lines.keep('p', line(`i${index}`, index, { roomId: String(7 + (index % 2)) }), { at: now, verified: false })
    const kept = [7, 8].map((roomid) => texts(roomid).length)
    for (const count of kept) expect(count).toBeLessThanOrEqual(150)
    expect(kept[0]! + kept[1]!).toBeLessThanOrEqual(250)
    expect(texts(8)[0]).toBe('said i399')
    lines.forget('p')
    expect([texts(7), texts(8)]).toEqual([[], []])
  })

  it('of other rooms and profiles have a last copy of their own, the one that came last', () => {
    lines.keep('p', line('a', 100), { at: now + 5, verified: true })
    lines.keep('p', line('b', 200), { at: now, verified: false })
    lines.keep('p', line('c', 300, { roomId: '8' }), { at: now + 9, verified: false })
    expect(lines.last('p', 7)).toEqual({ at: now + 5, verified: true })
    expect(lines.last('p', 8)).toEqual({ at: now + 9, verified: false })
    expect([lines.last('q', 7), lines.last('p', 9)]).toEqual([undefined, undefined])
  })

  it('of a copy that came twice keep when it came first', () => {
    lines.keep('p', line('a', 10), { at: now, verified: true })
    lines.keep('p', line('a', 10), { at: now + 5, verified: false })
    lines.keep('p', line('a', 10), undefined)
    expect(lines.last('p', 7)).toEqual({ at: now, verified: true })
  })

  it('of one room do not push out those of another, and of one profile not those of another', () => {
    lines.close()
    open({ room: 100, profile: 60 })
    lines.keep('q', line('q', 1), { at: now, verified: true })
    lines.keep('p', line('first', 1), { at: now, verified: true })
    for (let index = 0; index < 50; index++) lines.keep('p', line(`i${index}`, 10 + index), { at: now, verified: true })
    expect(texts()).toHaveLength(51)
    for (let index = 50; index < 100; index++)
      lines.keep('p', line(`i${index}`, 10 + index), { at: now, verified: true })
    expect([texts().length, texts().includes('said first'), texts()[0]]).toEqual([61, false, 'said i99'])
    expect(lines.list({ profileId: 'q', roomid: 7, notices: true, limit: 9 })).toHaveLength(1)
    lines.forget('p')
    expect(lines.list({ profileId: 'q', roomid: 7, notices: true, limit: 9 })).toHaveLength(1)
  })

  it('are 2,000 of a room and 20,000 of a profile where no other bound is given', () => {
    const database = new DatabaseSync(file())
    const fill = (count: number, roomid: string): void =>
      database.exec(
        `delete from line;
         insert into line (profileId, roomid, msgid, at, sender, notice, came, verified, line)
         with recursive n (n) as (values (1) union all select n + 1 from n where n < ${count})
         select 'p', ${roomid}, 'm' || n, n, 'ana', 0, n, 0, '{}' from n`,
      )
    const keepFifty = (name: string): void => {
      for (let index = 0; index < 50; index++)
        lines.keep('p', line(`${name}${index}`, 50_000 + index), { at: now, verified: false })
    }
    const count = () => database.prepare('select count(*) as lines, min(at) as oldest from line').get()
    fill(20_000, 'n / 2000 + 100')
    keepFifty('a')
    expect(count()).toEqual({ lines: 20_000, oldest: 51 })
    fill(2_000, '7')
    keepFifty('b')
    expect(count()).toEqual({ lines: 2_000, oldest: 51 })
    database.close()
  })

  it('do not come back when they went with the bound', () => {
    lines.close()
    open({ room: 10, profile: 1000 })
    for (let index = 0; index < 60; index++) lines.keep('p', line(`i${index}`, index), { at: now, verified: false })
    // Those of a room are trimmed with each 50th line.
    expect(texts()).toHaveLength(20)
    expect(lines.keep('p', line('i1', 1), { at: now, verified: false })).toBe('old')
    expect(lines.keep('p', line('new', 1000), { at: now, verified: false })).toBe('new')
  })

  it('are there for everything that was answered for when the app is killed', async () => {
    const script = fileURLToPath(new URL('../testing/copies-child.ts', import.meta.url))
    const child = spawn(process.execPath, [script, place.dir], { stdio: ['ignore', 'pipe', 'inherit'] })
    let said = ''
    child.stdout.on('data', (part: Buffer) => (said += part.toString('utf8')))
    const url = await until('the receiver', () => /http\S+/.exec(said)?.[0])
    const taken: string[] = []
    const sending = (async () => {
      for (let index = 0; ; index++) {
        const body = JSON.stringify(copy(`k${index}`, now + index))
        const answer = await fetch(url, {
          method: 'POST',
          headers: {
            [copyHeaders.md5]: createHash('md5').update(body).digest('hex'),
            [copyHeaders.curTime]: String(Date.now()),
          },
          body,
        })
        if (answer.status === 200) taken.push(`said k${index}`)
      }
    })().catch(() => undefined)
    await until('a few', () => taken.length >= 20)
    child.kill('SIGKILL')
    await sending
    lines.close()
    open()
    const kept = new Set(
      lines.list({ profileId: 'hosted', roomid: 7, notices: true, limit: 5000 }).map(({ attach }) => attach),
    )
    expect(taken.filter((each) => !kept.has(each))).toEqual([])
  })
})
