import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { departures } from '../../testing/departures.ts'
import { answer, seatSessionOf, type SessionAnswer } from '../../testing/joined-doors.ts'
import { mounted } from '../../testing/mounted.ts'
import { seat } from '../../testing/room-values.ts'
import { spoken } from '../../format/languages.ts'
import { seatsWords } from '../moderators/words.ts'
import SeatSignIn from './seat-sign-in.vue'

const seatsEn = spoken(seatsWords, 'en')
const seatsZh = spoken(seatsWords, 'zh')

const { seatPage: words } = seatsEn
type Options = Parameters<typeof mounted>[1] & { readonly answerOf?: SessionAnswer; readonly carried?: string }
const show = async ({ answerOf = () => answer(204), carried = '', ...options }: Options = {}) => {
  const { session: seatSession, requests } = seatSessionOf(answerOf, carried)
  const calls: string[] = []
  const connection = { retry: () => void calls.push('retry'), restart: () => void calls.push('restart') }
  return { requests, calls, ...(await mounted(SeatSignIn, { seatSession, connection, ...options })) }
}
const field = (name: string) => page.getByLabelText(name, { exact: true })
const enter = async (accid: string, token: string): Promise<void> => {
  await field(words.accid).fill(accid)
  await field(words.token).fill(token)
}
const signIn = () => page.getByRole('button', { name: words.do, exact: true })
const told = () => page.getByRole('alert')

describe('the sign-in of a moderator', () => {
  it('sends account, token and the code of the link without spaces around them, and connects', async () => {
    const { requests, calls } = await show({ carried: 'code-1234' })
    await expect.element(field(words.accid)).toHaveFocus()
    await expect.element(field(words.code)).toHaveValue('code-1234')
    await enter(' mei ', ' the-token ')
    await signIn().click()
    await expect.poll(() => calls).toEqual(['retry'])
    expect(requests).toEqual([['POST', '/session', { accid: 'mei', token: 'the-token', code: 'code-1234' }]])
    await expect.element(field(words.token)).toHaveValue('')
  })

  it('sends no code where none is entered', async () => {
    const { requests, calls } = await show()
    await enter('mei', 't')
    await signIn().click()
    await expect.poll(() => calls).toEqual(['retry'])
    expect(requests).toEqual([['POST', '/session', { accid: 'mei', token: 't' }]])
  })

  it.each([
    ['no account', ' ', 't'],
    ['no token', 'mei', ' '],
  ])('sends nothing with %s, and says what is missing', async (_case, accid, token) => {
    const { requests } = await show()
    expect(told().query()).toBeNull()
    await enter(accid, token)
    await signIn().click()
    await expect.element(told()).toMatchTextContent(words.missing)
    expect(requests).toEqual([])
  })

  it.each([
    ['refused', 'en', answer(401)],
    ['full', 'en', answer(507)],
    ['offline', 'en', undefined],
    ['refused', 'zh', answer(401)],
    ['full', 'zh', answer(507)],
    ['offline', 'zh', undefined],
  ] as const)('says why nobody is let in, and keeps what was entered: %s, in %s', async (why, language, answered) => {
    const each = language === 'en' ? words : seatsZh.seatPage
    const { calls } = await show({ answerOf: () => answered, language })
    await field(each.accid).fill('mei')
    await field(each.token).fill('the-token')
    await page.getByRole('button', { name: each.do, exact: true }).click()
    await expect.element(told()).toMatchTextContent(each[why])
    await expect.element(field(each.token)).toHaveValue('the-token')
    expect(calls).toEqual([])
  })

  it('counts the seconds down until the next try counts, and sends none before', async () => {
    const { requests, pass } = await show({ answerOf: () => answer(401, { 'retry-after': '2' }) })
    await enter('mei', 't')
    await signIn().click()
    for (const seconds of [2, 1]) {
      await expect.element(page.getByRole('timer')).toMatchTextContent(words.wait.replace('{n}', String(seconds)))
      await expect.element(signIn()).toHaveAttribute('aria-disabled', 'true')
      await signIn().click({ force: true })
      await pass(1_000)
    }
    await expect.element(page.getByRole('timer')).not.toBeInTheDocument()
    expect(requests).toHaveLength(1)
    await signIn().click()
    await expect.poll(() => requests).toHaveLength(2)
  })

  it('says nothing of a session before where there was none', async () => {
    await show()
    await expect.element(signIn()).toBeVisible()
    expect(page.getByRole('status').query()).toBeNull()
  })

  it('says that the seat was taken back, and begins the page anew once signed in', async () => {
    const gone = departures()
    const { calls } = await show({ about: { seat } })
    await expect.element(page.getByRole('status')).toMatchTextContent(words.ended)
    await enter('mei', 't')
    await signIn().click()
    await expect.poll(() => gone).toEqual(['reload'])
    expect(calls).toEqual([])
  })

  it('offers the look of the page', async () => {
    await show()
    await expect.element(page.getByRole('group', { name: words.look })).toBeVisible()
  })
})
