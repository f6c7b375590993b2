import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { Target } from '../../../contract/rpc/targets.ts'
import { spoken, type Language } from '../../format/languages.ts'
import { makeProfiles } from '../../testing/fake-state.ts'
import { makeTarget } from '../../testing/fake-targets.ts'
import { channel, mounted } from '../../testing/mounted.ts'
import TargetsCard from './targets-card.vue'
import { targetsWords } from './words.ts'

const one = channel(1, { status: 1 })
const show = (change: Partial<Target>, language: Language = 'en', secret: 'keychain' | 'session' = 'keychain') =>
  mounted(TargetsCard, {
    props: { profileId: 'local', cid: one.cid, live: true, kbps: 6_000 },
    channels: [one],
    language,
    profiles: makeProfiles('full').map((each) => (each.kind === 'local' ? { ...each, secret } : each)),
    answers: {
      'targets.list': () => ({ needs: 0, budget: 0, waiting: 0, targets: [makeTarget(1, change)] }),
    },
  })
const keyless = { state: 'noKey', hasKey: false, keyEnd: null } as const

it.each([
  ['en', 'keychain'],
  ['zh', 'session'],
] as const)(
  'says that a key is missing as the server is another one, also without a keychain (%s)',
  async (language, secret) => {
    const { targets: words } = spoken(targetsWords, language)
    await show({ ...keyless, keyForgotten: true }, language, secret)
    const row = page.getByRole('listitem').filter({ has: page.getByText('Twitch') })
    await expect.element(row).toMatchTextContent(words.keyForgotten)
    expect(row.element().textContent).not.toContain(words.keyGoneSession)
    await page.getByRole('button', { name: `${words.enterKey} Twitch` }).click()
    await expect.element(page.getByRole('dialog')).toMatchTextContent(words.keyForgotten)
  },
)

it.each([
  ['en', 'keychain', false, 'noKeyNext'],
  ['zh', 'session', false, 'noKeyNext'],
  ['en', 'keychain', true, 'keyGone'],
  ['zh', 'session', true, 'keyGoneSession'],
] as const)('says of a key that is missing why (%s, %s, it had one: %s)', async (language, secret, keyGone, why) => {
  const { targets: words } = spoken(targetsWords, language)
  await show({ ...keyless, keyGone }, language, secret)
  const row = page.getByRole('listitem').filter({ has: page.getByText('Twitch') })
  await expect.element(row).toMatchTextContent(words[why])
})

it.each([
  ['en', 'k7Qx'],
  ['zh', 'k7Qx'],
  ['en', null],
] as const)('the form says what becomes of the key when its field stays empty (%s, %s)', async (language, keyEnd) => {
  const { targets: words } = spoken(targetsWords, language)
  await show({ keyEnd }, language)
  await page
    .getByRole('button', { name: /Twitch/ })
    .nth(1)
    .click()
  await page.getByRole('menuitem', { name: words.edit }).click()
  const dialog = page.getByRole('dialog')
  const stays = keyEnd === null ? words.form.keyKeptShort : words.form.keyKept.replace('{end}', () => keyEnd)
  await expect.element(dialog).toMatchTextContent(stays)
  await page.getByLabelText(words.form.server).fill('rtmps://other.example/app')
  await expect.element(dialog).toMatchTextContent(words.form.keyAgain)
})
