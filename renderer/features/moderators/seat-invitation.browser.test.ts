import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { page } from 'vitest/browser'
import type { Invitation, SeatListener } from '../../../contract/rpc/index.ts'
import { began, channel, mounted, tallies, tally } from '../../testing/mounted.ts'
import { seat } from '../../testing/room-values.ts'
import SeatInvitation from './seat-invitation.vue'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { useSeats } from './seats.ts'
import { seatsWords } from './words.ts'

const en = spoken(frameWords, 'en')
const seatsEn = spoken(seatsWords, 'en')

const { made: words } = seatsEn.seats
const code = 'code-7f3a'
const token = 'token-91bc'
const invitation: Invitation = {
  seat: {
    ...seat,
    id: '0000000000000001',
    state: 'invited',
    created: began,
    codeUntil: null,
    sessions: 0,
    pages: 0,
    lastAt: null,
    lastAction: null,
    address: null,
    device: null,
    owed: [],
    owedReason: null,
  },
  code,
  token,
  link: `https://studio.example:8720/#invite=${code}`,
  appLink: `sidestage://join#code=${code}`,
}
const listener: SeatListener = {
  phase: 'listening',
  open: true,
  port: 8720,
  urls: ['https://studio.example:8720'],
  reason: null,
  certificate: 'made',
  fingerprint: 'AB:CD',
  certificateUntil: null,
  failures: 0,
}
const show = (change: Partial<Invitation> = {}, listening: Partial<SeatListener> = {}) =>
  mounted(SeatInvitation, {
    props: { invitation: { ...invitation, ...change }, listener: { ...listener, ...listening } },
  })
const region = () => page.getByRole('region', { name: /Mei/ })
const button = (name: string) => page.getByRole('button', { name, exact: true })

describe('an invitation', () => {
  it('shows neither its code, also not within its addresses, nor the token before it is asked for', async () => {
    await show()
    const shown = (): string => region().element().textContent
    await expect.element(region()).toBeVisible()
    expect(shown()).not.toContain(code)
    expect(shown()).not.toContain(token)
    await button(words.show).click()
    for (const text of [invitation.link!, invitation.appLink!, token]) await expect.poll(shown).toContain(text)
    await button(words.hide).click()
    await expect.poll(shown).not.toContain(code)
    expect(shown()).not.toContain(token)
  })

  it('tells with its button whether it is uncovered', async () => {
    await show()
    await expect.element(button(words.show)).toHaveAttribute('aria-pressed', 'false')
    await button(words.show).click()
    await expect.element(button(words.hide)).toHaveAttribute('aria-pressed', 'true')
  })

  it('is covered again while a channel is on air, can be copied then, and stays covered afterwards', async () => {
    const one = channel(1)
    const { tell } = await mounted(SeatInvitation, {
      props: { invitation, listener },
      channels: [one],
    })
    const shown = (): string => region().element().textContent
    await button(words.show).click()
    await expect.poll(shown).toContain(token)
    expect(shown()).not.toContain(en.word.covered)
    await tell(tallies([tally({ ...one, status: 1 })]))
    await expect.poll(shown).toContain(en.word.covered)
    await expect.element(button(words.show)).toHaveAttribute('aria-disabled', 'true')
    await button(words.show).click({ force: true })
    await expect.element(button(words.show)).toHaveAttribute('aria-pressed', 'false')
    for (const secret of [code, token]) expect(shown()).not.toContain(secret)
    await button(words.copy.token).click()
    await expect.element(page.getByText(words.copied, { exact: true })).toBeVisible()
    expect(await navigator.clipboard.readText()).toBe(token)
    await tell(tallies([tally(one)]))
    await expect.element(button(words.show)).toHaveAttribute('aria-disabled', 'false')
    expect(shown()).not.toContain(token)
  })

  it('is put away by its button', async () => {
    const { pinia } = await show()
    const seats = useSeats(pinia)
    seats.invitation = invitation
    await button(words.done).click()
    expect(seats.invitation).toBeNull()
  })

  it('says that there is no address while nothing listens', async () => {
    await show({ link: null, appLink: null })
    await expect.element(page.getByRole('alert')).toHaveTextContent(words.noLink)
  })

  it('has the focus on its heading, and says that it is shown once', async () => {
    await show()
    await expect.element(page.getByRole('heading', { name: words.title.replace('{name}', 'Mei') })).toHaveFocus()
    await expect.element(page.getByText(words.once)).toBeVisible()
  })

  it.each([
    ['appLink', invitation.appLink],
    ['link', invitation.link],
    ['code', code],
    ['accid', 'mei'],
    ['token', token],
    ['fingerprint', 'AB:CD'],
  ] as const)('has each part copied whole while it is covered: %s', async (part, whole) => {
    await show()
    await button(words.copy[part]).click()
    await expect.element(page.getByText(words.copied, { exact: true })).toBeVisible()
    expect(await navigator.clipboard.readText()).toBe(whole)
    expect(region().element().textContent).not.toContain(code)
  })

  it('says that the browser does not copy', async () => {
    await show()
    const refused = vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new Error('refused'))
    onTestFinished(() => refused.mockRestore())
    await button(words.copy.token).click()
    await expect.element(page.getByText(words.notCopied)).toBeVisible()
  })

  it.each([
    ['others come in with a certificate that was made here', {}, true],
    ['the certificate was entered', { certificate: 'supplied' }, false],
    ['only this computer is let in', { open: false }, false],
    ['its key is gone', { fingerprint: null }, false],
  ] as const)('has the fingerprint to compare where %s', async (_case, listening, isThere) => {
    await show({}, listening)
    await expect.element(region()).toBeVisible()
    expect(page.getByText(words.warns).query() !== null).toBe(isThere)
  })

  it('says that its link is for this computer only', async () => {
    await show({}, { open: false })
    await expect.element(page.getByText(words.hereOnly)).toBeVisible()
    expect(page.getByText(seatsEn.seats.listener.mustReach).query()).toBeNull()
  })

  it('says that the moderator must reach this computer where others are let in', async () => {
    await show()
    await expect.element(page.getByText(seatsEn.seats.listener.mustReach)).toBeVisible()
    expect(page.getByText(words.hereOnly).query()).toBeNull()
  })
})
