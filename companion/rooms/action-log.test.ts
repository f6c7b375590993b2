import { spawn } from 'node:child_process'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { scratch } from '../testing/rig.ts'
import { actionsAsCsv } from './action-export.ts'
import { openActionLog } from './action-log.ts'

const intent = { profileId: 'local', roomid: 7, operator: 'mei', what: { kind: 'mute', target: 'ana', on: true }, why: '', undoes: null } as const
const details = { failure: null, operatorName: 'Mei', targetName: '=Ana', line: null } as const

it('keeps an entry whose outcome never came, and calls it unknown', () => {
  using folder = scratch()
  const file = path.join(folder.dir, 'actions.db')
  const log = openActionLog(file)
  const id = log.begin({ ...intent, at: 5 })
  expect(log.list({ profileId: 'local', roomid: 7, limit: 10 })).toMatchObject([{ id, result: 'unknown', code: null }])
  log.end(id, { result: 'done', code: 200, detail: '', operatorName: 'Mei', line: 'buy coins' })
  expect(log.list({ profileId: 'local', limit: 1 })).toMatchObject([{ operatorName: 'Mei', line: 'buy coins', failure: null }])
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
  const log = openActionLog(file)
  log.end(log.begin({ ...intent, at: 5 }), { result: 'done', code: 200, detail: '' })
  log.close()
  const earlier = new DatabaseSync(file)
  earlier.exec('alter table outcome drop column more')
  earlier.close()
  const again = openActionLog(file)
  expect(again.list({ profileId: 'local', limit: 10 })).toMatchObject([{ result: 'done', operatorName: '', targetName: '', line: null, failure: null }])
  expect(again.end(again.begin({ ...intent, at: 6 }), { result: 'failed', code: null, detail: 'x', failure: 'down' })).toMatchObject({ failure: 'down' })
  again.close()
})

it('has every entry it answered for after a kill -9', async () => {
  using folder = scratch()
  const file = path.join(folder.dir, 'actions.db')
  const program = `
    import { openActionLog } from ${JSON.stringify(new URL('./action-log.ts', import.meta.url).href)}
    const log = openActionLog(${JSON.stringify(file)})
    for (let at = 1; ; at++) console.log(log.begin({ ...${JSON.stringify(intent)}, at }))
  `
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
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
  const row = { id: 1, roomid: 7, at, operator: 'mei', what: intent.what, undoes: null, result: 'done', code: 200, detail: '', ...details } as const
  const csv = actionsAsCsv(['=1+1', '+1', '-1', '@x', '\t=1', ' =1', 'say "no", 谢谢', 'two\nlines'].map((why) => ({ ...row, why })))
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

it.each(['＝1', '＋1', '－1', '＠x', '﹦1', '−1', '\0=1', '\u0001=1', '\u200b=1', '\ufeff=1', '\u2066=1', '\u00a0=1', '\u3164=1', '\n\0 ＝1'])(
  'takes no formula that begins with a wide sign or after what is not seen: %j',
  (why) => {
    const row = { ...intent, id: 1, at: 1, result: 'done', code: 200, detail: '', ...details } as const
    expect(actionsAsCsv([{ ...row, why }])).toContain(`"'${why}"`)
  },
)
