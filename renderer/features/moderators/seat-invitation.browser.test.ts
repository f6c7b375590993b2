import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { Invitation, SeatListener } from '../../../contract/rpc/index.ts'
import { began, mounted } from '../../testing/mounted.ts'
import { seat } from '../../testing/room-values.ts'
import SeatInvitation from './seat-invitation.vue'
import { spoken } from '../../format/languages.ts'
import { seatsWords } from './words.ts'

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
const show = (change: Partial<Invitation> = {}) =>
  mounted(SeatInvitation, { props: { invitation: { ...invitation, ...change }, listener } })
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

  it('says that there is no address while nothing listens', async () => {
    await show({ link: null, appLink: null })
    await expect.element(page.getByRole('alert')).toHaveTextContent(words.noLink)
  })
})
