import { describe, expect, it } from 'vitest'
import { local } from '../../contract/operations/index.ts'
import type { LoggedAction, Measure, RoomAction } from '../../contract/rpc/index.ts'
import { Failure } from '../failure.ts'
import { createActionEntries } from './action-entries.ts'
import type { Intent, Outcome } from './action-log.ts'
import { maxLine } from './measures.ts'
import { answeringClient } from './testing/answering-client.ts'
import { isLocal } from '../profiles/profiles.ts'

const roomid = 7
const muted: LoggedAction = { kind: 'mute', target: 'ana', on: true }
const intent = { profileId: 'local', roomid, operator: 'host', seat: false, what: muted, why: 'spam', undoes: null }
const written: RoomAction = {
  ...intent,
  id: 0,
  at: 99,
  result: 'done',
  code: 200,
  detail: '',
  failure: null,
  operatorName: '',
  targetName: '',
  line: null,
}

/** Entries over a log in memory. `nicks` are told one after the other; the last one stays. */
function stage(nicks: readonly (Readonly<Record<string, string>> | Error)[] = [{}], line?: unknown) {
  const begun: Intent[] = []
  const ended: [number, Outcome][] = []
  const logged: string[] = []
  let isFull = false
  let told = 0
  const { client, calls } = answeringClient((operation) => {
    if (operation === local.roomLine) {
      if (line instanceof Error) throw line
      return { ret: line }
    }
    const names = nicks[Math.min(told++, nicks.length - 1)]!
    if (names instanceof Error) throw names
    return { ret: { list: Object.entries(names).map(([accid, nick]) => ({ accid, nick })) } }
  })
  const entries = createActionEntries({
    isExtended: isLocal,
    actions: {
      begin: (one) => {
        begun.push(one)
        return begun.length
      },
      end: (id, outcome) => {
        if (isFull) throw new Error('no space')
        ended.push([id, outcome])
        return { ...written, id }
      },
    },
    now: () => 99,
    client: () => Promise.resolve(client),
    log: (text) => void logged.push(text),
  })
  return { entries, begun, ended, logged, calls, fill: () => (isFull = true) }
}

describe('an entry', () => {
  it('is begun with the time of now and ended with the names of operator and target', async () => {
    const { entries, begun, ended, calls } = stage([{ host: 'The host', ana: 'Ana' }])
    const entry = entries.begin(intent)
    expect(begun).toEqual([{ ...intent, at: 99 }])
    await entries.end(entry, { result: 'done', code: 200, detail: 'd' })
    expect(ended).toEqual([
      [1, { result: 'done', code: 200, detail: 'd', operatorName: 'The host', targetName: 'Ana' }],
    ])
    expect(calls).toEqual([[local.roomPeople, { roomid, accids: ['host', 'ana'] }]])
  })

  it('asks for names again at its end where one was missing, as an invitation may have made the account', async () => {
    const { entries, ended, calls } = stage([{ host: 'The host' }, { ana: 'Ana' }])
    await entries.end(entries.begin(intent), { result: 'done', code: 200, detail: '' })
    expect(ended[0]?.[1]).toMatchObject({ operatorName: 'The host', targetName: 'Ana' })
    expect(calls).toHaveLength(2)
  })

  it('asks for an operator who is the target too only once', async () => {
    const { entries, calls } = stage([{ host: 'The host' }])
    await entries.begin({ ...intent, what: { kind: 'mute', target: 'host', on: true } }).names()
    await entries.begin({ ...intent, what: { kind: 'queueClear' } }).names()
    expect(calls.map(([, args]) => args)).toEqual([
      { roomid, accids: ['host'] },
      { roomid, accids: ['host'] },
    ])
  })

  it('has no names where the service does not tell them, or empty ones, and is written all the same', async () => {
    for (const nicks of [[new Failure('unreachable', 'away')], [{ host: '', ana: '' }]]) {
      const { entries, ended } = stage(nicks)
      await entries.end(entries.begin(intent), { result: 'done', code: 200, detail: '' })
      expect(ended[0]?.[1]).toMatchObject({ operatorName: '', targetName: '' })
    }
  })

  it('of a hosted service asks for no names', async () => {
    const { entries, calls, ended } = stage()
    await entries.end(entries.begin({ ...intent, profileId: 'h' }), { result: 'done', code: 200, detail: '' })
    expect([calls, ended.length]).toEqual([[], 1])
  })

  it('that cannot be ended stays without an outcome, which is only logged', async () => {
    const { entries, ended, logged, fill } = stage()
    const entry = entries.begin(intent)
    fill()
    await entries.end(entry, { result: 'done', code: 200, detail: '' })
    expect([ended, logged]).toEqual([[], ['an entry of the log of actions has no outcome: no space']])
  })

  it.each([
    [new Failure('changed', 'other by now', { code: 417 }), { code: 417, failure: 'changed', detail: 'other by now' }],
    [new Failure('unreachable', 'x'.repeat(900)), { code: null, failure: 'unreachable', detail: 'x'.repeat(500) }],
    [new TypeError('a fault'), { code: null, failure: 'internal', detail: 'a fault' }],
  ])('that failed has the reason with a bounded length: %s', async (error, outcome) => {
    const { entries, ended } = stage()
    await entries.endFailed(entries.begin(intent), error, 'the line')
    await entries.endFailed(entries.begin(intent), error)
    expect(ended).toMatchObject([
      [1, { ...outcome, result: 'failed', line: 'the line' }],
      [2, { ...outcome, result: 'failed', line: null }],
    ])
  })
})

describe('the text of the line that a measure is about', () => {
  const said = { from: 'ana', nick: 'Ana', type: 0, attach: 'buy coins' }
  const call = { profileId: 'local', roomid, measure: muted as Measure, upon: 'm1' }

  it('is that of the line which is the reason, and of one that is named its own', async () => {
    const { entries, calls } = stage([{}], said)
    expect(await entries.lineOf(call)).toBe('buy coins')
    expect(await entries.lineOf({ ...call, measure: { kind: 'removeLine', target: 'ana', msgid: 'm2' } })).toBe(
      'buy coins',
    )
    expect(calls).toEqual([
      [local.roomLine, { roomid, msgid: 'm1' }],
      [local.roomLine, { roomid, msgid: 'm2' }],
    ])
  })

  it('has a bounded length', async () => {
    const { entries } = stage([{}], { ...said, attach: 'x'.repeat(maxLine + 1) })
    expect(await entries.lineOf(call)).toBe('x'.repeat(maxLine))
  })

  it('is not that of somebody else', async () => {
    expect(await stage([{}], { ...said, from: 'ben' }).entries.lineOf(call)).toBeNull()
  })

  it.each([
    ['no line is named', { ...call, upon: undefined }],
    ['the measure is about nobody', { ...call, measure: { kind: 'queueClear' } as Measure }],
    ['the service is a hosted one', { ...call, profileId: 'h' }],
  ])('is not asked for where %s', async (_why, given) => {
    const { entries, calls } = stage([{}], said)
    expect(await entries.lineOf(given)).toBeNull()
    expect(calls).toEqual([])
  })

  it.each([
    ['code', true],
    ['missing', true],
    ['changed', true],
    ['decided', true],
    ['unreachable', false],
    ['down', false],
  ] as const)('after a refusal is asked for only where the service answered: %s', async (kind, isAsked) => {
    const { entries, calls } = stage([{}], said)
    expect(await entries.lineOf(call, new Failure(kind, 'refused'))).toBe(isAsked ? 'buy coins' : null)
    expect(calls).toHaveLength(isAsked ? 1 : 0)
  })

  it('is not asked for after a fault of the app', async () => {
    const { entries, calls } = stage([{}], said)
    expect([await entries.lineOf(call, new TypeError('a fault')), calls]).toEqual([null, []])
  })

  it('is missing where the service refuses it, and logged as missing only after a fault', async () => {
    const refused = stage([{}], new Failure('code', 'gone', { code: 404 }))
    expect([await refused.entries.lineOf(call), refused.logged]).toEqual([null, []])
    const fault = stage([{}], new TypeError('a fault'))
    expect([await fault.entries.lineOf(call), fault.logged]).toEqual([
      null,
      ['the text of a line is missing in the log of actions: a fault'],
    ])
  })
})
