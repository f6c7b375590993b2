import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { JoinedSeat } from '../../../contract/rpc/joined.ts'
import { departures } from '../../testing/departures.ts'
import { failed } from '../../testing/memory-client.ts'
import { began, mounted } from '../../testing/mounted.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import JoinedList from './joined-list.vue'
import { joiningWords } from './words.ts'

const en = spoken(frameWords, 'en')

const joiningEn = spoken(joiningWords, 'en')

const { joining: words } = joiningEn
const seat = (change: Partial<JoinedSeat> = {}): JoinedSeat => ({
  id: '0000000000000001',
  host: 'studio.example.com:8443',
  secured: true,
  fingerprint: null,
  accid: 'mei',
  name: 'Mei',
  roomid: 7,
  room: 'Late night',
  joined: began,
  lastAt: began,
  token: 'keychain',
  ...change,
})
const other = seat({ id: '0000000000000002', room: 'Morning', lastAt: began - 1 })
const show = (seats: readonly JoinedSeat[], options: Parameters<typeof mounted>[1] = {}) =>
  mounted(JoinedList, { path: '/join', events: [{ type: 'joined', seats: [...seats] }], ...options })
const dialog = () => page.getByRole('dialog')

describe('rooms on other computers', () => {
  it('are forgotten only after a question, each by its own button', async () => {
    const { client } = await show([seat(), other], { answers: { 'joined.forget': () => undefined } })
    await page.getByRole('button', { name: new RegExp(`^${words.forget.do}.*Morning`) }).click()
    await expect.element(dialog()).toMatchTextContent('Morning')
    expect(client.inputs('joined.forget')).toEqual([])
    await dialog().getByRole('button', { name: words.forget.now }).click()
    await expect.poll(() => client.inputs('joined.forget')).toEqual([{ id: other.id }])
    await expect.element(dialog()).not.toBeInTheDocument()
  })

  it('say why one could not be forgotten', async () => {
    await show([seat()], {
      answers: {
        'joined.forget': () => {
          throw failed({ kind: 'full' })
        },
      },
    })
    await page.getByRole('button', { name: new RegExp(`^${words.forget.do}`) }).click()
    await dialog().getByRole('button', { name: words.forget.now }).click()
    await expect.element(dialog().getByRole('alert')).toBeVisible()
  })

  it.each(
    (['session', 'missing'] as const).flatMap((token) =>
      (['en', 'zh'] as const).map((language) => [token, language] as const),
    ),
  )('say where the token is: %s, in %s', async (token, language) => {
    await show([seat({ token })], { language })
    if (language === 'en') await expect.element(page.getByText(words.token[token])).toBeVisible()
    else await expect.element(page.getByRole('listitem')).toBeVisible()
  })

  it('are named with who moderates them, where they are and when they were shown last', async () => {
    await show([seat()])
    for (const text of ['Late night', words.as.replace('{name}', 'Mei'), 'studio.example.com:8443 · mei'])
      await expect.element(page.getByRole('listitem')).toMatchTextContent(text)
    await expect.element(page.getByText(words.last.replace('{time}', '2026-11-26 16:00'))).toBeVisible()
    for (const text of [words.unencrypted, ...Object.values(words.token)])
      expect(page.getByText(text, { exact: true }).query()).toBeNull()
  })

  it('stand with the one that was shown last first, and say which is not encrypted', async () => {
    await show([other, seat({ secured: false })])
    const rows = page.getByRole('listitem')
    await expect.element(rows.first()).toMatchTextContent('Late night')
    await expect.element(rows.first()).toMatchTextContent(words.unencrypted)
    await expect.element(rows.last()).not.toMatchTextContent(words.unencrypted)
  })

  it('are shown in this window by the button of each', async () => {
    const left = departures()
    await show([seat(), other])
    await page.getByRole('button', { name: `${words.open} Morning` }).click()
    await expect.poll(() => left.length).toBe(1)
    expect(left[0]).toContain(other.id)
  })

  it('are kept when the question is cancelled', async () => {
    const { client } = await show([seat()])
    await page.getByRole('button', { name: new RegExp(`^${words.forget.do}`) }).click()
    await dialog().getByRole('button', { name: en.word.cancel }).click()
    await expect.element(dialog()).not.toBeInTheDocument()
    expect(client.inputs('joined.forget')).toEqual([])
  })

  it('say that there are none', async () => {
    await show([])
    await expect.element(page.getByText(words.none)).toBeVisible()
  })
})
