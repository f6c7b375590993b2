import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h } from 'vue'
import { makeProfiles } from '../../testing/fake-state.ts'
import { failed } from '../../testing/memory-client.ts'
import { mounted, service, type MountOptions } from '../../testing/mounted.ts'
import { actingAs, linkSession, quietMessaging, sessionEvent } from '../../testing/messaging-values.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { messagingWords } from './words.ts'
import { reasonWords } from '../frame/words-reason.ts'
import ActAs from './act-as.vue'
import { useMessaging } from './messaging.ts'
import SignInForm from './sign-in-form.vue'

const en = spoken(frameWords, 'en')
const messagingEn = spoken(messagingWords, 'en')
const messagingZh = spoken(messagingWords, 'zh')
const reasonEn = spoken(reasonWords, 'en')

const { messaging: words } = messagingEn
const accidFault = '1 to 32 letters, digits or _ @ . -'
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' })
const dialog = () => page.getByRole('dialog')
const account = () => page.getByRole('textbox', { name: words.signIn.account })
const token = () => page.getByLabelText(words.signIn.token, { exact: true })
const refused = () => {
  throw failed({ kind: 'code', code: 403 })
}

describe('signing in', () => {
  const show = (options: MountOptions = {}) =>
    mounted(SignInForm, {
      ...options,
      answers: { ...quietMessaging, 'messaging.signIn': ({ accid }) => linkSession(accid), ...options.answers },
    })

  it('opens the session of the account with its token, and forgets the token', async () => {
    const { client } = await show()
    await account().fill(' Ana ')
    await token().fill('secret')
    await page.getByRole('checkbox').click()
    await button(words.signIn.submit).click()
    await expect
      .poll(() => client.inputs('messaging.signIn'))
      .toEqual([{ profileId: 'local', accid: 'ana', token: 'secret', keep: true }])
    await expect.element(token()).toHaveValue('')
  })

  it('uses the token that is kept where none was entered, with Enter', async () => {
    const { client } = await show()
    await account().fill('ana')
    await userEvent.keyboard('{Enter}')
    await expect
      .poll(() => client.inputs('messaging.signIn'))
      .toEqual([{ profileId: 'local', accid: 'ana', keep: false }])
  })

  it('signs in once while it is under way', async () => {
    let release = (): void => undefined
    const { client } = await show({
      answers: { 'messaging.signIn': () => new Promise((resolve) => (release = () => resolve(linkSession()))) },
    })
    await account().fill('ana')
    await userEvent.keyboard('{Enter}')
    await userEvent.keyboard('{Enter}')
    release()
    await expect.element(button(words.signIn.submit)).toBeEnabled()
    expect(client.inputs('messaging.signIn')).toHaveLength(1)
  })

  it('says why it was refused, and keeps what was entered', async () => {
    await show({ answers: { 'messaging.signIn': refused } })
    await account().fill('ana')
    await token().fill('wrong')
    await button(words.signIn.submit).click()
    await expect.element(page.getByRole('alert')).toMatchTextContent('This account may not do that.')
    await expect.element(token()).toHaveValue('wrong')
  })

  it('asks for nothing with a name that is none, and says what one is', async () => {
    const { client } = await show()
    await account().fill('two words')
    await button(words.signIn.submit).click()
    await expect.element(page.getByText(accidFault)).toBeVisible()
    await button(words.signIn.api).click()
    expect(client.inputs('messaging.signIn')).toEqual([])
  })

  it('hides the token', async () => {
    await show()
    await expect.element(token()).toHaveAttribute('type', 'password')
  })

  it('does not sign in while the service is down', async () => {
    const { client, tell } = await show()
    await account().fill('ana')
    await tell(service('restarting'))
    await expect.element(button(words.signIn.submit)).toHaveAttribute('aria-disabled', 'true')
    await account().click()
    await userEvent.keyboard('{Enter}')
    expect(client.inputs('messaging.signIn')).toEqual([])
  })

  it('needs no token with a hosted service', async () => {
    const { client } = await show({ profile: 'hosted-1' })
    await expect.element(page.getByText(words.signIn.hosted)).toBeVisible()
    expect(token().query()).toBeNull()
    expect(button(words.signIn.submit).query()).toBeNull()
    await account().fill('ana')
    await button(words.signIn.api).click()
    expect(client.inputs('messaging.signIn')).toEqual([])
  })

  it('says that nothing keeps the token where there is no keychain', async () => {
    await show()
    await expect
      .element(page.getByRole('checkbox'))
      .toHaveAccessibleName(new RegExp(`${words.signIn.keep}|${words.signIn.keepSession}`))
  })
})

describe('who signed in', () => {
  const show = async (options: MountOptions = {}) => {
    let done = 0
    const shown = await mounted(
      { render: () => h(SignInForm, { onDone: () => (done += 1) }) },
      {
        ...options,
        answers: { ...quietMessaging, 'messaging.signIn': ({ accid }) => linkSession(accid), ...options.answers },
      },
    )
    return { ...shown, done: () => done }
  }

  it('acts from then on', async () => {
    const { pinia, done } = await show()
    await account().fill(' Ana ')
    await button(words.signIn.submit).click()
    await expect.poll(() => useMessaging(pinia).accid).toBe('ana')
    expect([done(), useMessaging(pinia).session?.phase]).toEqual([1, 'online'])
  })

  it('does not act where that was refused', async () => {
    const { pinia, done } = await show({ answers: { 'messaging.signIn': refused } })
    await account().fill('ana')
    await button(words.signIn.submit).click()
    await expect.element(page.getByRole('alert')).toBeVisible()
    expect([done(), useMessaging(pinia).accid]).toEqual([0, null])
  })

  it('acts through the API without a session, and the token is forgotten', async () => {
    const { client, pinia, done } = await show()
    await account().fill('Ana')
    await token().fill('secret')
    await button(words.signIn.api).click()
    await expect.poll(() => useMessaging(pinia).accid).toBe('ana')
    expect([done(), client.inputs('messaging.signIn')]).toEqual([1, []])
    await expect.element(token()).toHaveValue('')
  })

  it.each([
    ['keychain', words.signIn.keep],
    ['session', words.signIn.keepSession],
  ] as const)('is told where the token is kept: %s', async (secret, says) => {
    const [local, ...others] = makeProfiles('full')
    await show({ profiles: [{ ...local!, secret }, ...others] })
    await expect.element(page.getByRole('checkbox')).toHaveAccessibleName(says)
    await expect.element(page.getByRole('checkbox')).not.toBeChecked()
  })
})

describe('acting as an account', () => {
  const show = (options: MountOptions = {}) =>
    mounted(ActAs, {
      ...options,
      answers: {
        ...quietMessaging,
        'messaging.signIn': ({ accid }) => linkSession(accid),
        'messaging.signOut': () => undefined,
        ...options.answers,
      },
    })
  const choose = async (who: string, item: string): Promise<void> => {
    await button(who).click()
    await page.getByRole('menuitem', { name: item, exact: true }).click()
  }

  it('says who that is and how far its session is', async () => {
    const { tell } = await show({ before: actingAs(), events: [sessionEvent()] })
    await expect.element(button('Acting as ana')).toBeVisible()
    await expect.element(page.getByRole('status')).toHaveTextContent(words.phase.online)
    await tell(sessionEvent('ana', { phase: 'waiting' }))
    await expect.element(page.getByRole('status')).toHaveTextContent(words.phase.waiting)
  })

  it('says why a session was refused, and offers to sign in again', async () => {
    const { client } = await show({
      before: actingAs(),
      events: [sessionEvent('ana', { phase: 'refused', reason: { code: 'credentials', params: {} } })],
    })
    await expect.element(page.getByRole('status')).toHaveTextContent(`Refused: ${reasonEn.reason.link.credentials}`)
    await choose('Acting as ana', 'Sign in ana again…')
    await expect.element(dialog().getByRole('textbox', { name: words.signIn.account })).toHaveValue('ana')
    await dialog().getByLabelText(words.signIn.token, { exact: true }).fill('new')
    await dialog().getByRole('button', { name: words.signIn.submit, exact: true }).click()
    await expect.element(dialog()).not.toBeInTheDocument()
    expect(client.inputs('messaging.signIn')).toEqual([{ profileId: 'local', accid: 'ana', token: 'new', keep: false }])
    await expect.element(page.getByRole('status')).toHaveTextContent(words.phase.online)
  })

  it('changes to another account that is signed in', async () => {
    await show({ before: actingAs(), events: [sessionEvent('ana'), sessionEvent('tom')] })
    await button('Acting as ana').click()
    await expect.element(page.getByRole('menuitemcheckbox', { name: 'ana' })).toBeChecked()
    await page.getByRole('menuitemcheckbox', { name: 'tom' }).click()
    await expect.element(button('Acting as tom')).toBeVisible()
  })

  it('asks before it signs out, says what happens, and gives the focus back', async () => {
    const { client } = await show({ events: [sessionEvent()] })
    await choose('Acting as ana', 'Sign out ana…')
    await expect.element(dialog()).toMatchTextContent(words.signOut.body)
    expect(client.inputs('messaging.signOut')).toEqual([])
    await userEvent.keyboard('{Escape}')
    await expect.element(dialog()).not.toBeInTheDocument()
    await expect.element(button('Acting as ana')).toHaveFocus()
    expect(client.inputs('messaging.signOut')).toEqual([])
    await choose('Acting as ana', 'Sign out ana…')
    await dialog().getByRole('button', { name: words.signOut.action, exact: true }).click()
    await expect
      .poll(() => client.inputs('messaging.signOut'))
      .toEqual([{ profileId: 'local', accid: 'ana', forget: false }])
    await expect.element(dialog()).not.toBeInTheDocument()
    await expect.element(button(words.actAs.choose)).toBeVisible()
  })

  it('deletes the kept token only where one is kept, and only on request', async () => {
    const { client } = await show({ events: [sessionEvent('ana', { kept: true })] })
    await choose('Acting as ana', 'Sign out ana…')
    await dialog().getByRole('button', { name: words.signOut.forget }).click()
    await expect
      .poll(() => client.inputs('messaging.signOut'))
      .toEqual([{ profileId: 'local', accid: 'ana', forget: true }])
  })

  it('says why it could not sign out, and no more so when it is asked again', async () => {
    await show({ events: [sessionEvent()], answers: { 'messaging.signOut': refused } })
    await choose('Acting as ana', 'Sign out ana…')
    expect(dialog().getByRole('button', { name: words.signOut.forget }).query()).toBeNull()
    await dialog().getByRole('button', { name: words.signOut.action, exact: true }).click()
    await expect.element(dialog().getByRole('alert')).toMatchTextContent('This account may not do that.')
    await dialog().getByRole('button', { name: en.word.cancel }).click()
    await expect.element(dialog()).not.toBeInTheDocument()
    await choose('Acting as ana', 'Sign out ana…')
    await expect.element(dialog()).toBeVisible()
    expect(dialog().getByRole('alert').query()).toBeNull()
  })

  it('speaks Chinese', async () => {
    await show({ language: 'zh' })
    await expect.element(button(messagingZh.messaging.actAs.choose)).toBeVisible()
  })
})
