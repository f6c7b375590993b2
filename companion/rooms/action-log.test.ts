import { spawn } from 'node:child_process'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { smallDisk } from '../../platform/testing/small-disk.ts'
import { scratch } from '../testing/rig.ts'
import type { RoomAction } from '../../contract/rpc/index.ts'
import { actionsAsCsv, actionsAsJson } from './action-export.ts'
import { openActionLog } from './action-log.ts'

const intent = {
  profileId: 'local',
  roomid: 7,
  operator: 'mei',
  seat: true,
  what: { kind: 'mute', target: 'ana', on: true },
  why: '',
  undoes: null,
} as const
const details = { failure: null, operatorName: 'Mei', targetName: '=Ana', line: null } as const
const csvOf = (actions: readonly RoomAction[]): string =>
  actionsAsCsv({ actions, isFirst: true, isLast: true, dropped: null })

it('keeps an entry whose outcome never came, and calls it unknown', () => {
  using folder = scratch()
  const file = path.join(folder.dir, 'actions.db')
  const log = openActionLog(file)
  const id = log.begin({ ...intent, at: 5 })
  expect(log.list({ profileId: 'local', roomid: 7, limit: 10 })).toMatchObject([{ id, result: 'unknown', code: null }])
  log.end(id, { result: 'done', code: 200, detail: '', operatorName: 'Mei', line: 'buy coins' })
  expect(log.list({ profileId: 'local', limit: 1 })).toMatchObject([
    { operatorName: 'Mei', line: 'buy coins', failure: null },
  ])
  expect(() => log.end(id, { result: 'failed', code: 403, detail: '' })).toThrow()
  log.close()
  const again = openActionLog(file)
  expect(again.list({ profileId: 'local', target: 'ana', limit: 10 })).toMatchObject([{ id, result: 'done' }])
  expect(again.list({ profileId: 'other', limit: 10 })).toEqual([])
  expect(again.list({ profileId: 'local', before: id, limit: 10 })).toEqual([])
  again.close()
})

it('opens the log of an earlier version, whose entries have no details, and goes on', () => {
  using folder = scratch()
  const file = path.join(folder.dir, 'actions.db')
  const earlier = new DatabaseSync(file)
  earlier.exec(`
    create table action (
      id integer primary key autoincrement, profileId text not null, roomid integer not null, at integer not null, operator text not null,
      what text not null, target text not null, why text not null, undoes integer
    );
    create table outcome (id integer primary key references action (id), result text not null, code integer, detail text not null);
    create trigger action_remains before delete on action begin select raise(abort, 'entries are not deleted'); end;
    create trigger outcome_remains before delete on outcome begin select raise(abort, 'entries are not deleted'); end;
    insert into action values (1, 'local', 7, 5, 'mei', '${JSON.stringify(intent.what)}', 'ana', '', null);
    insert into action values (2, 'local', 7, 6, 'mei', '${JSON.stringify(intent.what)}', 'ana', '', null);
    insert into outcome values (1, 'done', 200, '');
  `)
  earlier.close()
  const again = openActionLog(file, { entries: 1, bytes: 1_000_000 })
  expect(again.list({ profileId: 'local', limit: 1, before: 2 })).toMatchObject([
    { result: 'done', operatorName: '', targetName: '', line: null, failure: null },
  ])
  // They were not told apart by seats and are the host's: the next entry of the host makes room.
  expect(
    again.end(again.begin({ ...intent, seat: false, at: 7 }), {
      result: 'failed',
      code: null,
      detail: 'x',
      failure: 'down',
    }),
  ).toMatchObject({
    failure: 'down',
  })
  expect(again.list({ profileId: 'local', limit: 10 }).map(({ at }) => at)).toEqual([7, 6])
  again.close()
})

it('keeps the host’s entries whatever seats do, and of seats drops the oldest of the one that has the most, and says so', () => {
  using folder = scratch()
  const log = openActionLog(path.join(folder.dir, 'actions.db'), { entries: 50, bytes: 1_000_000 })
  const did = (operator: string, seat: boolean, at: number) =>
    log.end(log.begin({ ...intent, operator, seat, at }), { result: 'done', code: 200, detail: '' })
  for (let at = 0; at < 10; at++) did('host', false, at)
  for (let at = 10; at < 20; at++) did('kim', true, at)
  expect(log.dropped('local', 7)).toBeNull()
  for (let at = 20; at < 400; at++) did('mei', true, at)
  const of = (name: string) =>
    log.list({ profileId: 'local', limit: 1_000 }).filter(({ operator }) => operator === name)
  expect([of('host').length, of('kim').length, of('mei').length]).toEqual([10, 10, 41])
  expect(of('mei').at(-1)?.at).toBe(359)
  expect(log.dropped('local', 7)).toEqual({ entries: 339, until: 358 })
  expect(log.dropped('local', 8)).toBeNull()
  log.close()
})

it.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)(
  'a full disk that refuses an entry drops none for it, and with room again the entry is taken and the oldest is dropped',
  () => {
    using folder = scratch()
    const data = path.join(folder.dir, 'data')
    const disk = smallDisk(data, 16)
    const log = openActionLog(path.join(data, 'actions.db'), { entries: 20, bytes: 1_000_000 })
    try {
      for (let at = 0; at <= 20; at++) log.begin({ ...intent, at })
      disk.fill()
      const look = () => ({ entries: log.list({ profileId: 'local', limit: 1_000 }), dropped: log.dropped('local', 7) })
      // The log that SQLite writes ahead may still have room of its own.
      let [at, before] = [21, look()]
      const oneMore = () => {
        before = look()
        log.begin({ ...intent, at: at++ })
      }
      expect(() => {
        while (at < 10_000) oneMore()
      }).toThrow(/full/)
      expect(look()).toEqual(before)
      disk.empty()
      log.begin({ ...intent, at })
      expect(look().entries.map((entry) => entry.at)).toEqual([
        at,
        ...before.entries.slice(0, -1).map((entry) => entry.at),
      ])
      expect(look().dropped).toEqual({ entries: (before.dropped?.entries ?? 0) + 1, until: before.entries.at(-1)!.at })
    } finally {
      log.close()
      disk.remove()
    }
  },
)

it('is bounded by bytes too, and keeps of a long text its begin with how much of it that is', () => {
  using folder = scratch()
  const file = path.join(folder.dir, 'actions.db')
  const room = { entries: 1_000, bytes: 100_000 }
  const log = openActionLog(file, room)
  const long = `${'深'.repeat(999)}🎈${'x'.repeat(3_000)}`
  for (let at = 0; at < 200; at++) {
    const what = { kind: 'announce', text: long, was: long } as const
    log.end(log.begin({ ...intent, what, at }), { result: 'done', code: 200, detail: '', line: long })
  }
  const all = log.list({ profileId: 'local', limit: 1_000 })
  const cut = `${'深'.repeat(999)}… [999/4001]`
  expect(all[0]).toMatchObject({ at: 199, what: { kind: 'announce', text: cut, was: cut }, line: cut })
  expect(all.length).toBeGreaterThan(5)
  expect(Buffer.byteLength(JSON.stringify(all))).toBeLessThan(130_000)
  expect(log.dropped('local', 7)?.entries).toBe(200 - all.length)
  log.close()
  // What is counted is what is there.
  const raw = new DatabaseSync(file)
  const { bytes } = raw.prepare('select bytes from author').get() as { bytes: number }
  raw.exec('drop table author')
  raw.close()
  openActionLog(file, room).close()
  const counted = new DatabaseSync(file)
  expect(counted.prepare('select bytes from author').get()).toEqual({ bytes })
  counted.close()
})

it('has every entry it answered for after a kill -9', async () => {
  using folder = scratch()
  const file = path.join(folder.dir, 'actions.db')
  const program = `
    import { openActionLog } from ${JSON.stringify(new URL('./action-log.ts', import.meta.url).href)}
    const log = openActionLog(${JSON.stringify(file)})
    for (let at = 1; ; at++) console.log(log.begin({ ...${JSON.stringify(intent)}, at }))
  `
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let out = ''
  await new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text
      if (out.split('\n').length > 40) child.kill('SIGKILL')
    })
    child.on('close', () => resolve())
  })
  const answered = out.split('\n').slice(0, -1).map(Number)
  const log = openActionLog(file)
  const kept = new Set(log.list({ profileId: 'local', limit: 100_000 }).map(({ id }) => id))
  log.close()
  expect(answered.length).toBeGreaterThan(30)
  for (const id of answered) expect(kept.has(id), String(id)).toBe(true)
})

it('writes CSV in which no cell is a formula and quotes are doubled', () => {
  const at = Date.UTC(2026, 10, 21, 20, 44, 27)
  const row = {
    id: 1,
    roomid: 7,
    at,
    operator: 'mei',
    what: intent.what,
    undoes: null,
    result: 'done',
    code: 200,
    detail: '',
    ...details,
  } as const
  const csv = csvOf(
    ['=1+1', '+1', '-1', '@x', '\t=1', ' =1', 'say "no", 谢谢', 'two\nlines'].map((why) => ({ ...row, why })),
  )
  expect(csv.startsWith('\uFEFF"number","time"')).toBe(true)
  for (const safe of [
    `"'=1+1"`,
    `"'+1"`,
    `"'-1"`,
    `"'@x"`,
    `"'\t=1"`,
    `"' =1"`,
    '"say ""no"", 谢谢"',
    '"two\nlines"',
    '"2026-11-21T20:44:27.000Z"',
    '"ana"',
    `"Mei"`,
    `"'=Ana"`,
  ])
    expect(csv).toContain(safe)
  expect(csv).not.toMatch(/(^|,)"?\s*[=+\-@]/m)
})

it.each([
  '＝1',
  '＋1',
  '－1',
  '＠x',
  '﹦1',
  '−1',
  '\0=1',
  '\u0001=1',
  '\u200b=1',
  '\ufeff=1',
  '\u2066=1',
  '\u00a0=1',
  '\u3164=1',
  '\n\0 ＝1',
])('takes no formula that begins with a wide sign or after what is not seen: %j', (why) => {
  const row = { ...intent, id: 1, at: 1, result: 'done', code: 200, detail: '', ...details } as const
  expect(csvOf([{ ...row, why }])).toContain(`"'${why}"`)
})

it('writes a file in parts that are one together, and at its end what it has not', () => {
  const row = { ...intent, id: 1, at: 1, result: 'done', code: 200, detail: '', ...details } as const
  const [first, second] = [
    [
      { ...row, id: 3 },
      { ...row, id: 2 },
    ],
    [row],
  ]
  const dropped = { entries: 4, until: 86_400_000 }
  for (const [rest, ids] of [
    [second, [3, 2, 1]],
    [[], [3, 2]],
  ] as const)
    for (const gone of [null, dropped]) {
      const parts = [
        { actions: first, isFirst: true, isLast: false, dropped: gone },
        { actions: rest, isFirst: false, isLast: true, dropped: gone },
      ]
      const json = JSON.parse(parts.map(actionsAsJson).join('')) as (RoomAction & { what: object })[]
      expect(json.flatMap(({ id }) => id ?? [])).toEqual(ids)
      expect(json.at(-1)?.what).toEqual(gone ? { kind: 'olderEntriesDropped', ...dropped } : intent.what)
      const rows = parts.map(actionsAsCsv).join('').split('\r\n')
      expect(rows.slice(0, ids.length + 1).map((each) => each.split(',')[0])).toEqual([
        '\uFEFF"number"',
        ...ids.map((id) => `"${id}"`),
      ])
      expect(rows.slice(ids.length + 1)).toEqual(
        gone
          ? [
              `"","1970-01-02T00:00:00.000Z","","","olderEntriesDropped","","","{""entries"":4}","","","","","","",""`,
              '',
            ]
          : [''],
      )
    }
  expect(JSON.parse(actionsAsJson({ actions: [], isFirst: true, isLast: true, dropped: null }))).toEqual([])
})

it('lists the latest first, of one profile, room or person, and of what is before an entry', () => {
  using folder = scratch()
  const log = openActionLog(path.join(folder.dir, 'actions.db'))
  const of = (profileId: string, roomid: number, target: string): number =>
    log.begin({ ...intent, profileId, roomid, what: { kind: 'mute', target, on: true }, at: 1 })
  const [a, b, c, d, e] = [
    of('p', 7, 'ana'),
    of('p', 7, 'ben'),
    of('p', 8, 'ana'),
    of('q', 7, 'ana'),
    of('p', 7, 'ana'),
  ]
  const ids = (query: { roomid?: number; target?: string; before?: number; limit?: number }) =>
    log.list({ profileId: 'p', limit: 10, ...query }).map(({ id }) => id)
  expect(ids({})).toEqual([e, c, b, a])
  expect(ids({ roomid: 7 })).toEqual([e, b, a])
  expect(ids({ target: 'ana' })).toEqual([e, c, a])
  expect(ids({ roomid: 7, target: 'ana' })).toEqual([e, a])
  expect(ids({ roomid: 7, before: e })).toEqual([b, a])
  expect(ids({ limit: 2 })).toEqual([e, c])
  expect(log.read('p', 7, a)).toMatchObject({ id: a, what: { target: 'ana' } })
  for (const [profileId, roomid, id] of [
    ['q', 7, a],
    ['p', 8, a],
    ['p', 7, d],
  ] as const)
    expect(log.read(profileId, roomid, id)).toBeUndefined()
  log.close()
})

it('gives back what was given, with its failure and names', () => {
  using folder = scratch()
  const log = openActionLog(path.join(folder.dir, 'actions.db'))
  const undone = log.begin({ ...intent, at: 1 })
  const id = log.begin({ ...intent, at: 2, why: 'because', undoes: undone })
  const outcome = { result: 'partly', code: null, detail: 'left', ...details, failure: 'down' } as const
  expect(log.end(id, outcome)).toEqual({
    id,
    roomid: 7,
    at: 2,
    operator: 'mei',
    what: intent.what,
    why: 'because',
    undoes: undone,
    ...outcome,
  })
  log.close()
})

it('keeps of a long element of the queue the begin, and shorter texts whole', () => {
  using folder = scratch()
  const log = openActionLog(path.join(folder.dir, 'actions.db'))
  const whatOf = (what: RoomAction['what']) => {
    log.begin({ ...intent, what, at: 1 })
    return log.list({ profileId: 'local', limit: 1 })[0]?.what
  }
  const [whole, long] = ['x'.repeat(1_000), 'x'.repeat(1_001)]
  expect(whatOf({ kind: 'queueAdd', key: 'k', value: long })).toMatchObject({ value: `${whole}… [1000/1001]` })
  expect(whatOf({ kind: 'queueAdd', key: 'k', value: whole })).toMatchObject({ value: whole })
  expect(whatOf({ kind: 'announce', text: whole })).toEqual({ kind: 'announce', text: whole })
  log.close()
})

it('refuses to change an entry or its outcome', () => {
  using folder = scratch()
  const file = path.join(folder.dir, 'actions.db')
  const log = openActionLog(file)
  log.end(log.begin({ ...intent, at: 1 }), { result: 'done', code: 200, detail: '' })
  log.close()
  using outside = new DatabaseSync(file)
  for (const table of ['action set why', 'outcome set detail'])
    expect(() => outside.exec(`update ${table} = 'other'`)).toThrow('entries are not changed')
})

it('drops of the host’s own entries the oldest too, and counts the dropped of each room', () => {
  using folder = scratch()
  const log = openActionLog(path.join(folder.dir, 'actions.db'), { entries: 3, bytes: 1_000_000 })
  for (let at = 1; at <= 8; at++) log.begin({ ...intent, seat: false, roomid: at % 2 === 0 ? 8 : 7, at })
  expect(log.list({ profileId: 'local', limit: 10 }).map(({ at }) => at)).toEqual([8, 7, 6, 5])
  expect([log.dropped('local', 7), log.dropped('local', 8), log.dropped('other', 7)]).toEqual([
    { entries: 2, until: 3 },
    { entries: 2, until: 4 },
    null,
  ])
  log.close()
})

it('drops of a log that is far beyond its size 500 entries at once at most', () => {
  using folder = scratch()
  const file = path.join(folder.dir, 'actions.db')
  const log = openActionLog(file)
  log.close()
  const raw = new DatabaseSync(file)
  raw.exec(`
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 1300)
    insert into action (profileId, roomid, at, operator, what, target, why, undoes, seat)
    select 'local', 7, i, 'mei', '{"kind":"queueClear"}', '', '', null, 0 from n
  `)
  raw.close()
  const small = openActionLog(file, { entries: 10, bytes: 1_000_000 })
  const left: number[] = []
  for (let at = 0; at < 3; at++) {
    small.begin({ ...intent, seat: false, at })
    left.push(small.list({ profileId: 'local', limit: 2_000 }).length)
  }
  expect(left).toEqual([801, 302, 11])
  small.close()
})
