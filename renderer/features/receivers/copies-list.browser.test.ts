import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { CopyReceiver, ReceivedCopy } from '../../../contract/rpc/index.ts'
import { began, mounted } from '../../testing/mounted.ts'
import { spoken } from '../../format/languages.ts'
import { callbacksWords } from '../recordings/words-callbacks.ts'
import { copiesWords } from './words.ts'
import CopiesList from './copies-list.vue'
import { useMessageCopies } from './message-copies.ts'

const callbacksEn = spoken(callbacksWords, 'en')
const copiesEn = spoken(copiesWords, 'en')

const { copies: words } = copiesEn
const { receiver: entryWords } = callbacksEn
const receiver: CopyReceiver = {
  profileId: 'local',
  phase: 'listening',
  host: '127.0.0.1',
  port: 9001,
  url: 'http://127.0.0.1:9001/copy',
  reason: null,
  open: false,
  verification: 'checked',
  ignored: 0,
}
const copy = (id: number, change: Partial<ReceivedCopy> = {}): ReceivedCopy => ({
  id,
  at: began,
  verdict: 'accepted',
  verified: true,
  stale: false,
  test: null,
  from: '127.0.0.1',
  why: null,
  fields: { eventType: '1', fromAccount: `sender-${id}`, to: 'mei' },
  ...change,
})
const show = async (list: readonly ReceivedCopy[], state: Partial<CopyReceiver> = {}) => {
  const shown = await mounted(CopiesList, {
    path: '/settings/copies',
    props: { on: true },
    answers: {
      'copies.state': () => ({ ...receiver, ...state }),
      'copies.list': () => [...list],
      'copies.target': () => ({ url: null, kinds: [] }),
    },
  })
  await useMessageCopies(shown.pinia).look()
  return shown
}
const entries = () => page.getByRole('listitem')
const button = (name: string, id: number) =>
  page.getByRole('button', { name: name.replace('{n}', String(id)), exact: true })
const kind = (name: string) => page.getByRole('group', { name: words.kinds }).getByRole('button', { name, exact: true })

describe('message copies that came in', () => {
  it('are none at first, and have no kinds to choose from', async () => {
    await show([])
    await expect.element(page.getByText(words.none)).toBeVisible()
    expect(page.getByRole('group').query()).toBeNull()
  })

  it.each([
    ['accepted', 2],
    ['probe', 2],
    ['duplicate', 2],
    ['ignored', 2],
    ['forged', 0],
    ['unreadable', 0],
  ] as const)('are sent again if they are genuine, and not if they were turned away: %s', async (verdict, buttons) => {
    await show([copy(4, { verdict })])
    await expect.element(entries()).toMatchTextContent(words.verdict[verdict])
    expect(entries().getByRole('button').elements()).toHaveLength(buttons)
  })

  it.each([
    ['replayed', 'copies.replay', entryWords.replayThis],
    ['tampered with', 'copies.tamper', entryWords.tamperThis],
  ] as const)('are %s by their button, that one, and what comes of it is put on top', async (_case, path, name) => {
    const { client } = await show([copy(4), copy(3)])
    client.answer({ [path]: () => copy(5, { verdict: 'duplicate', test: 'replay' }) })
    await button(name, 3).click()
    await expect.element(entries().first()).toMatchTextContent(words.verdict.duplicate)
    expect(client.inputs(path)).toEqual([{ profileId: 'local', id: 3 }])
  })

  it('are shown of one kind, with how many there are of each, and all again', async () => {
    await show([
      copy(5),
      copy(4, { fields: { eventType: '2', accid: 'ana' } }),
      copy(3),
      copy(2, { verdict: 'ignored', fields: { eventType: '77' } }),
    ])
    await expect.element(kind(`${words.all} 4`)).toHaveAttribute('aria-pressed', 'true')
    for (const name of [`${words.kind[1]} 2`, `${words.kind[2]} 1`, `${words.kind.other} 1`])
      await expect.element(kind(name)).toHaveAttribute('aria-pressed', 'false')
    expect(page.getByRole('group').getByRole('button').elements()).toHaveLength(4)
    await kind(`${words.kind[2]} 1`).click()
    await expect.poll(() => entries().elements().length).toBe(1)
    await expect.element(entries()).toMatchTextContent('ana')
    await expect.element(kind(`${words.kind[2]} 1`)).toHaveAttribute('aria-pressed', 'true')
    await kind(`${words.all} 4`).click()
    await expect.poll(() => entries().elements().length).toBe(4)
  })

  it.each([
    [true, words.verified],
    [false, words.unverified],
  ])('are said to be verified or not: %s', async (verified, text) => {
    await show([copy(4, { verified })])
    await expect.element(entries()).toMatchTextContent(`${words.one[1]} · ${text}`)
  })

  it('that were turned away are not said to be verified', async () => {
    await show([copy(4, { verdict: 'forged' })])
    await expect.element(entries()).toMatchTextContent(words.verdict.forged)
    await expect.element(entries()).not.toMatchTextContent(words.verified)
  })

  it('that came late are said to be late', async () => {
    await show([copy(4, { stale: true }), copy(3)])
    await expect.element(entries().first()).toMatchTextContent(entryWords.stale)
    await expect.element(entries().nth(1)).not.toMatchTextContent(entryWords.stale)
  })

  it('of unknown kinds are counted', async () => {
    await show([copy(4)], { ignored: 2 })
    await expect.element(page.getByText('2 copies of an unknown kind since it listens')).toBeVisible()
  })
})

describe('what a message copy is about', () => {
  it.each([
    [{ fromAccount: 'ana', to: 'mei', msgType: 'TEXT' }, 'ana → mei · TEXT'],
    [{ fromAccount: 'ana', roomId: '7' }, 'ana → 7'],
    [{ fromAccount: 'ana' }, 'ana'],
    [{ accid: 'ana', fromAccount: 'lee', clientType: 'WEB' }, 'ana · WEB'],
    [{}, '192.0.2.7'],
  ])('is who sent it to whom, or who logged in, else where it came from: %j', async (fields, about) => {
    await show([copy(4, { from: '192.0.2.7', fields: fields as Record<string, string> })])
    const summary = () => document.querySelector('summary')?.textContent.trim()
    await expect.poll(summary).toBe(`2026-11-26 16:00 · ${about}`)
  })

  it('is no kind where an address was tried out, and the reason where it was turned away', async () => {
    await show([
      copy(5, { verdict: 'probe', fields: {} }),
      copy(4, { verdict: 'forged', why: { code: 'digest', params: {} } }),
    ])
    await expect.element(entries().first()).not.toMatchTextContent(words.one.other)
    await expect.element(entries().first()).toMatchTextContent(words.verified)
    await expect.element(entries().nth(1)).not.toMatchTextContent(words.one[1])
  })
})
