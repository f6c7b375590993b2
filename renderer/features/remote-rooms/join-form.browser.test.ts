import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { h, ref } from 'vue'
import { shownFingerprint, writeInvitation, type InvitationLink } from '../../../contract/invitation.ts'
import type { JoinedSeat, JoinOutcome } from '../../../contract/rpc/joined.ts'
import { departures } from '../../testing/departures.ts'
import { makeProfiles } from '../../testing/fake-state.ts'
import { failed } from '../../testing/memory-client.ts'
import { began, mounted } from '../../testing/mounted.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { joiningWords } from './words.ts'
import JoinForm from './join-form.vue'

const en = spoken(frameWords, 'en')
const joiningEn = spoken(joiningWords, 'en')

const { form: words, trouble, wait } = joiningEn.joining
const fingerprint = 'a1'.repeat(32)
const invitation: InvitationLink = {
  host: 'studio.example.com:8443',
  secured: true,
  fingerprint,
  code: 'code-1234',
  accid: 'mei',
}
const link = writeInvitation(invitation)
const joined: JoinedSeat = {
  id: '0000000000000001',
  host: invitation.host,
  secured: true,
  fingerprint,
  accid: 'mei',
  name: 'Mei',
  roomid: 7,
  room: 'Late night',
  joined: began,
  lastAt: began,
  token: 'keychain',
}
const letIn: JoinOutcome = { seat: joined, trouble: null, wait: 0 }
const show = (given: InvitationLink | null = null, options: Parameters<typeof mounted>[1] = {}) =>
  mounted(JoinForm, {
    props: { invitation: given },
    path: '/join',
    ...options,
    answers: { 'joined.join': () => letIn, ...options.answers },
  })
const field = (name: string) => page.getByLabelText(name, { exact: true })
const join = () => page.getByRole('button', { name: words.do, exact: true })
const host = () => page.getByRole('definition').first()

describe('the form that joins a room on another computer', () => {
  it('is filled in by an invitation, and sends nothing before the button', async () => {
    const { client } = await show(invitation)
    await expect.element(field(words.link)).toHaveValue(link)
    await expect.element(field(words.accid)).toHaveValue('mei')
    await expect.element(field(words.code)).toHaveValue('code-1234')
    await expect.element(field(words.token)).toHaveValue('')
    await expect.element(host()).toMatchTextContent(invitation.host)
    await expect.element(page.getByText(shownFingerprint(fingerprint))).toBeVisible()
    expect(client.inputs('joined.join')).toEqual([])
  })

  it('is filled in by a link that is pasted', async () => {
    await show()
    expect(host().query()).toBeNull()
    await field(words.link).fill(` ${link} `)
    await expect.element(field(words.accid)).toHaveValue('mei')
    await expect.element(field(words.code)).toHaveValue('code-1234')
    await expect.element(host()).toMatchTextContent(invitation.host)
  })

  it('joins with all that was entered, empties the secret, and shows the room', async () => {
    const gone = departures()
    const { client } = await show(invitation)
    await field(words.accid).fill(' Lee ')
    await field(words.token).fill(' the-token ')
    await field(words.code).fill(' code-5678 ')
    await join().click()
    await expect.poll(() => gone).toEqual([`/?joined=${joined.id}`])
    expect(client.inputs('joined.join')).toEqual([
      {
        host: invitation.host,
        secured: true,
        fingerprint,
        accid: 'lee',
        token: 'the-token',
        code: 'code-5678',
      },
    ])
    await expect.element(field(words.token)).toHaveValue('')
    await expect.element(field(words.link)).toHaveValue('')
  })

  it('joins without a code where none is entered', async () => {
    departures()
    const { client } = await show({ ...invitation, code: null })
    await field(words.token).fill('t')
    await join().click()
    await expect.poll(() => client.inputs('joined.join').map(({ code }) => code)).toEqual([null])
  })

  it('keeps what it is told of the look for the room that it shows', async () => {
    departures()
    const memory = new Map<string, string>()
    const { client } = await show(invitation, { memory, settings: { theme: 'light' }, language: 'en' })
    await field(words.token).fill('t')
    await join().click()
    await expect.poll(() => client.inputs('joined.join')).toHaveLength(1)
    await expect.poll(() => memory.get('sidestage.seat.theme')).toBe('light')
    expect(memory.get('sidestage.seat.language')).toBe('en')
  })

  it('asks for the fingerprint where the link has none, and joins only with a whole one', async () => {
    departures()
    const { client } = await show()
    await field(words.link).fill(`https://${invitation.host}/#code=code-1234`)
    await field(words.accid).fill('mei')
    await field(words.token).fill('t')
    await field(words.fingerprint).fill('A1:A1')
    await join().click()
    await expect.element(page.getByText(words.fingerprintFault)).toBeVisible()
    expect(client.inputs('joined.join')).toEqual([])
    await field(words.fingerprint).fill(shownFingerprint(fingerprint))
    await expect.element(page.getByText(words.fingerprintFault)).not.toBeInTheDocument()
    await join().click()
    await expect.poll(() => client.inputs('joined.join').map((each) => each.fingerprint)).toEqual([fingerprint])
  })

  it.each(['http://localhost:8720/', 'http://127.0.0.1:8720/', 'http://[::1]:8720/'])(
    'joins without encryption on this computer: %s',
    async (address) => {
      departures()
      const { client } = await show()
      await field(words.link).fill(address)
      await field(words.accid).fill('mei')
      await field(words.token).fill('t')
      expect(field(words.fingerprint).query()).toBeNull()
      await join().click()
      await expect
        .poll(() => client.inputs('joined.join').map(({ secured, fingerprint: print }) => [secured, print]))
        .toEqual([[false, null]])
    },
  )

  it('joins no other computer without encryption, and says so', async () => {
    const { client } = await show()
    await field(words.link).fill('http://192.0.2.5:8720/')
    await expect.element(page.getByText(words.far)).toBeVisible()
    await field(words.accid).fill('mei')
    await field(words.token).fill('t')
    await join().click()
    expect(client.inputs('joined.join')).toEqual([])
    expect(host().query()).toBeNull()
  })

  it('says what is no link as soon as something is entered', async () => {
    await show()
    expect(page.getByText(words.linkFault).query()).toBeNull()
    await field(words.link).fill('studio.example.com')
    await expect.element(page.getByText(words.linkFault)).toBeVisible()
  })

  it('says what is missing only after the button, and sends nothing', async () => {
    const { client } = await show()
    expect(page.getByText(words.missing).query()).toBeNull()
    await join().click()
    await expect.element(page.getByText(words.linkFault)).toBeVisible()
    await expect.element(page.getByText('1 to 32 small letters, digits or _ @ . -')).toBeVisible()
    await expect.element(page.getByText(words.missing)).toBeVisible()
    expect(client.inputs('joined.join')).toEqual([])
  })

  it.each([
    ['an account with a letter that it cannot have', { accid: 'm i', token: 't' }],
    ['no token', { accid: 'mei', token: '  ' }],
  ])('sends nothing with %s', async (_case, { accid, token }) => {
    const { client } = await show(invitation)
    await field(words.accid).fill(accid)
    await field(words.token).fill(token)
    await join().click()
    expect(client.inputs('joined.join')).toEqual([])
  })

  it.each([
    ['local', words.tokenHelp],
    ['session', words.tokenHelpSession],
  ])('says where the token is kept: %s', async (kept, text) => {
    const profiles = makeProfiles('full').map((each) =>
      each.kind === 'local' && kept === 'session' ? { ...each, secret: 'session' as const } : each,
    )
    await show(null, { profiles })
    await expect.element(page.getByText(text)).toBeVisible()
  })

  it('shows why the other computer did not let in, and sends no more until the time is over', async () => {
    const { client, pass } = await show(invitation, {
      answers: { 'joined.join': () => ({ seat: null, trouble: 'refused', wait: 2 }) },
    })
    await field(words.token).fill('t')
    await join().click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(trouble.refused.title)
    for (const seconds of [2, 1]) {
      await expect.element(page.getByRole('timer')).toMatchTextContent(wait.replace('{n}', String(seconds)))
      await expect.element(join()).toHaveAttribute('aria-disabled', 'true')
      await join().click({ force: true })
      await pass(1_000)
    }
    expect(client.inputs('joined.join')).toHaveLength(1)
    await expect.element(field(words.token)).toHaveValue('t')
    await join().click()
    await expect.poll(() => client.inputs('joined.join')).toHaveLength(2)
  })

  it('tells nothing of an earlier try when it is opened again', async () => {
    const isOpen = ref(true)
    await mounted(
      { render: () => (isOpen.value ? h(JoinForm, { invitation }) : null) },
      { answers: { 'joined.join': () => ({ seat: null, trouble: 'refused', wait: 0 }) } },
    )
    await field(words.token).fill('t')
    await join().click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(trouble.refused.title)
    isOpen.value = false
    await expect.element(join()).not.toBeInTheDocument()
    isOpen.value = true
    await expect.element(join()).toBeVisible()
    expect(page.getByRole('alert').query()).toBeNull()
  })

  it('says why it could not be tried', async () => {
    await show(invitation, {
      answers: {
        'joined.join': () => {
          throw failed({ kind: 'keychain' })
        },
      },
    })
    await field(words.token).fill('t')
    await join().click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.keychain.sentence)
    await expect.element(field(words.token)).toHaveValue('t')
  })

  it('sends once while the answer is not there', async () => {
    const { client } = await show(invitation, {
      answers: { 'joined.join': () => new Promise<JoinOutcome>(() => undefined) },
    })
    await field(words.token).fill('t')
    await join().click()
    field(words.token).element().closest('form')?.requestSubmit()
    await expect.poll(() => client.inputs('joined.join')).toHaveLength(1)
  })
})
