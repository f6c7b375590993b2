import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { page } from 'vitest/browser'
import type { RoomAction } from '../../../contract/rpc/index.ts'
import { errorTable } from '../../../contract/errors.ts'
import { failed } from '../../testing/memory-client.ts'
import { began, service } from '../../testing/mounted.ts'
import { mountedRoom } from '../../testing/mounted-room.ts'
import { roomAction, seat } from '../../testing/room-values.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { roomListsWords } from './words-lists.ts'
import { roomWords } from './words.ts'
import RoomActions from './room-actions.vue'
import { useRoom } from './room.ts'

const en = spoken(frameWords, 'en')
const roomListsEn = spoken(roomListsWords, 'en')
const roomEn = spoken(roomWords, 'en')

const { room: words } = roomEn
const { more, actions: lists } = roomListsEn.roomLists
const at = { profileId: 'local', roomid: 7 }
const muted = (id: number, change: Partial<RoomAction> = {}) =>
  roomAction({ kind: 'mute', target: 'ana', on: true }, { id, ...change })
const page100 = (newest: number, oldest = 1): RoomAction[] =>
  Array.from({ length: Math.max(0, Math.min(100, newest - oldest + 1)) }, (_, n) => muted(newest - n))
const open = async (
  actions: readonly RoomAction[] | (() => RoomAction[]),
  options: Parameters<typeof mountedRoom>[1] = {},
) => {
  const list = typeof actions === 'function' ? actions : () => [...actions]
  const shown = await mountedRoom(RoomActions, { ...options, answers: { 'rooms.actions': list, ...options.answers } })
  await shown.pass(1)
  return shown
}
const button = (name: string) => page.getByRole('button', { name, exact: true })
const cells = (row = 1) =>
  page
    .getByRole('row')
    .nth(row)
    .getByRole('cell')
    .elements()
    .map((each) => each.textContent.trim())
const count = (text: string) => page.getByText(text, { exact: true })

describe('an entry of the log of actions', () => {
  it('has when, who, what, whom, why and what came of it', async () => {
    await open([
      muted(1, {
        at: began,
        operator: 'mei',
        operatorName: 'Mei',
        targetName: 'Ana B',
        why: 'spam',
        line: 'bad <b> line',
      }),
    ])
    await expect.element(page.getByRole('row').nth(1)).toBeVisible()
    expect(cells()).toEqual([
      '2026-11-26 16:00:00',
      'Mei · mei',
      `${words.measure.mute} ${words.on}bad <b> line`,
      'Ana B · ana',
      'spam',
      words.result.done,
    ])
  })

  it('names the host where nobody is named, and an account once', async () => {
    await open([muted(2, { operator: '' }), muted(1, { operator: 'mei' })])
    await expect.element(page.getByRole('row').nth(1)).toBeVisible()
    expect([cells(1)[1], cells(2)[1], cells(1)[3]]).toEqual([words.badge.host, 'mei', 'ana'])
  })

  it('has the text that was announced, and what was put into the queue', async () => {
    await open([
      roomAction({ kind: 'announce', text: 'Tonight' }, { id: 2 }),
      roomAction({ kind: 'queueAdd', key: 'lee', value: 'a song' }, { id: 1 }),
    ])
    await expect.element(page.getByRole('row').nth(1)).toBeVisible()
    expect(cells(1)[2]).toBe(`${words.measure.announce}Tonight`)
    expect(cells(2).slice(2, 4)).toEqual([`${words.measure.queueAdd}a song`, 'lee'])
  })

  it('has who was taken from the queue by what the log tells, else who was asked for', async () => {
    await open([
      roomAction({ kind: 'queueTake' }, { id: 3, detail: JSON.stringify({ key: 'lee', value: 'a song' }) }),
      roomAction({ kind: 'queueTake', key: 'ana' }, { id: 2, detail: '{"key":"a' }),
      roomAction({ kind: 'queueTake', key: 'mei' }, { id: 1, detail: '{"key":1}' }),
    ])
    await expect.element(page.getByRole('row').nth(1)).toBeVisible()
    expect([1, 2, 3].map((row) => cells(row).slice(2, 4))).toEqual([
      [`${words.measure.queueTake}a song`, 'lee'],
      [words.measure.queueTake, 'ana'],
      [words.measure.queueTake, 'mei'],
    ])
  })

  it('that undoes another names what it undid', async () => {
    await open([
      roomAction({ kind: 'mute', target: 'ana', on: false }, { id: 2, undoes: 1 }),
      roomAction({ kind: 'mute', target: 'ana', on: true }, { id: 1 }),
    ])
    await expect.element(page.getByRole('row').nth(1)).toBeVisible()
    expect(cells(1)[2]).toBe(words.undoOf.replace('{what}', `${words.measure.mute} ${words.on}`))
  })

  it.each([
    ['with the code', { code: 403, failure: null }, `${words.result.failed} · 403`],
    ['with why', { code: 403, failure: 'code' }, `${words.result.failed} · 403 · ${errorTable[403].sentence.en}`],
    ['without a code', { code: null, failure: 'late' }, `${words.result.failed} · ${en.failure.late.sentence}`],
    ['without anything', { code: null, failure: null }, words.result.failed],
  ] as const)('that was refused says so: %s', async (_case, change, says) => {
    await open([muted(1, { result: 'failed', ...change })])
    await expect.element(page.getByRole('row').nth(1)).toBeVisible()
    expect(cells()[5]).toBe(says)
  })

  it.each([
    [true, words.decidedBy.allowed],
    [false, words.decidedBy.dropped],
  ])('of a held line that somebody else decided first says who and how: let through %s', async (allow, says) => {
    const what = { kind: 'decideHeld', target: 'ana', msgid: '5', allow } as const
    await open([
      roomAction({ ...what, allow: !allow }, { id: 2, result: 'failed', failure: 'decided', code: 409 }),
      roomAction(what, { id: 1, operator: 'mei', operatorName: 'Mei' }),
    ])
    await expect.element(page.getByRole('row').nth(1)).toBeVisible()
    expect(cells(1)[5]).toBe(`${words.result.failed} · ${says.replace('{name}', 'Mei · mei')}`)
  })

  it('only partly done says so', async () => {
    await open([muted(1, { result: 'partly' })])
    await expect.element(page.getByText(words.result.partly)).toBeVisible()
  })
})

describe('the log of actions', () => {
  it('says that nothing was done yet', async () => {
    await open([])
    await expect.element(page.getByText(words.noActions)).toBeVisible()
    expect(page.getByRole('table').query()).toBeNull()
  })

  it('says why it could not be read, and goes on once it can', async () => {
    const { client, pinia } = await open(() => {
      throw failed({ kind: 'late' })
    })
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.late.sentence)
    expect(page.getByText(words.noActions).query()).toBeNull()
    client.answer({ 'rooms.actions': () => [muted(1)] })
    await useRoom(pinia).act({ kind: 'muteRoom', on: true })
    await expect.element(page.getByRole('alert')).not.toBeInTheDocument()
    await expect.element(page.getByRole('row').nth(1)).toBeVisible()
  })

  it('is read again every 2 seconds, as others act as well, but not while the service is down', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] })
    let newest = 1
    const { client, tell } = await open(() => page100(newest))
    await expect.element(count('1 entry')).toBeVisible()
    newest = 2
    vi.advanceTimersByTime(1_999)
    expect(client.inputs('rooms.actions')).toHaveLength(1)
    vi.advanceTimersByTime(1)
    await expect.element(count('2 entries, newest first')).toBeVisible()
    await tell(service('restarting'))
    vi.advanceTimersByTime(2_000)
    expect(client.inputs('rooms.actions')).toHaveLength(2)
  })

  it('is read again after a measure of this page', async () => {
    const { client, pinia } = await open([])
    const before = client.inputs('rooms.actions').length
    await useRoom(pinia).act({ kind: 'mute', target: 'ana', on: true })
    await expect.poll(() => client.inputs('rooms.actions').length).toBeGreaterThan(before)
    expect(client.inputs('rooms.actions').at(-1)).toEqual(at)
  })

  it('keeps older entries that were read where new ones meet them, and drops them where some are missing', async () => {
    let newest = 150
    const { client, pinia } = await open([], {
      answers: {
        'rooms.actions': ({ before }) => page100(before === undefined ? newest : before - 1),
      },
    })
    await expect.element(count(lists.count.split(' | ')[1]!.replace('{n}', '100'))).toBeVisible()
    await button(more).click()
    await expect.element(count(lists.all.split(' | ')[1]!.replace('{n}', '150'))).toBeVisible()
    expect(client.inputs('rooms.actions').at(-1)).toEqual({ ...at, before: 51 })
    newest = 151
    await useRoom(pinia).act({ kind: 'muteRoom', on: true })
    await expect.element(count(lists.all.split(' | ')[1]!.replace('{n}', '151'))).toBeVisible()
    expect(button(more).query()).toBeNull()
    newest = 400
    await useRoom(pinia).act({ kind: 'muteRoom', on: false })
    await expect.element(count(lists.count.split(' | ')[1]!.replace('{n}', '100'))).toBeVisible()
    await expect.element(button(more)).toBeVisible()
  })
})

describe('the file of the log', () => {
  const saved = () => {
    const files: { name: string; content: Promise<string> }[] = []
    const made = vi.spyOn(URL, 'createObjectURL').mockImplementation((content) => {
      files.push({ name: '', content: (content as Blob).text() })
      return 'blob:x'
    })
    const clicked = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(
      this: HTMLAnchorElement,
    ) {
      files.at(-1)!.name = this.download
    })
    onTestFinished(() => {
      made.mockRestore()
      clicked.mockRestore()
    })
    return files
  }

  it.each([
    ['csv', words.exportCsv],
    ['json', words.exportJson],
  ] as const)('is saved by its button: %s', async (format, name) => {
    const files = saved()
    const { client } = await open([muted(1)], {
      answers: { 'rooms.exportActions': () => ({ name: `log.${format}`, text: 'whole', next: null, dropped: null }) },
    })
    await button(name).click()
    await expect.poll(() => files.map((each) => each.name)).toEqual([`log.${format}`])
    expect(await files[0]!.content).toBe('whole')
    expect(client.inputs('rooms.exportActions')).toEqual([{ ...at, format }])
    expect(page.getByRole('status').query()).toBeNull()
  })

  it('is made once at a time', async () => {
    saved()
    const answer = Promise.withResolvers<void>()
    const { client } = await open([muted(1)], {
      answers: {
        'rooms.exportActions': async () => {
          await answer.promise
          return { name: 'log.csv', text: '', next: null, dropped: null }
        },
      },
    })
    await button(words.exportCsv).click()
    await expect.element(button(words.exportCsv)).toBeDisabled()
    await expect.element(button(words.exportJson)).toBeDisabled()
    answer.resolve()
    await expect.element(button(words.exportCsv)).toBeEnabled()
    expect(client.inputs('rooms.exportActions')).toHaveLength(1)
  })

  it('says what the log has dropped', async () => {
    saved()
    await open([muted(1)], {
      answers: {
        'rooms.exportActions': () => ({ name: 'l', text: '', next: null, dropped: { entries: 1_200, until: began } }),
      },
    })
    await button(words.exportCsv).click()
    await expect
      .element(page.getByRole('status'))
      .toMatchTextContent(words.exportDropped.replace('{at}', '2026-11-26 16:00:00').replace('{n}', '1,200'))
  })

  it('says why it could not be made', async () => {
    const files = saved()
    await open([muted(1)], {
      answers: {
        'rooms.exportActions': () => {
          throw failed({ kind: 'full' })
        },
      },
    })
    await button(words.exportCsv).click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.full.sentence)
    expect(files).toEqual([])
    await expect.element(button(words.exportCsv)).toBeEnabled()
  })

  it('is not for a moderator at another computer', async () => {
    await open([muted(1)], { about: { seat } })
    await expect.element(page.getByRole('row').nth(1)).toBeVisible()
    expect(button(words.exportCsv).query()).toBeNull()
    expect(button(words.exportJson).query()).toBeNull()
  })
})
