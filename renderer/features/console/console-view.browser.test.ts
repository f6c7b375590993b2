import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { errorTable } from '../../../contract/errors.ts'
import type { ApiCall } from '../../../contract/rpc/index.ts'
import { failed } from '../../testing/memory-client.ts'
import { mounted, service, starting, type MountOptions } from '../../testing/mounted.ts'
import ConsoleView from './console-view.vue'
import { spoken } from '../../format/languages.ts'
import { consoleWords } from './words.ts'

const consoleEn = spoken(consoleWords, 'en')

const { console: words } = consoleEn
const answered = (change: Partial<ApiCall> = {}): ApiCall => ({
  path: '/app/channelstats',
  url: 'http://127.0.0.1/app/channelstats',
  at: 0,
  milliseconds: 12.4,
  headers: [{ name: 'CheckSum', value: '••••' }],
  body: '{"cid":"c1"}',
  curl: 'curl -H "CheckSum: $SUM"',
  status: 200,
  code: 200,
  answer: '{\n  "code": 200\n}',
  fault: null,
  cut: false,
  ...change,
})
const show = (path: string, options: MountOptions = {}) =>
  mounted(ConsoleView, {
    path: `/console${path}`,
    ...options,
    answers: { 'console.call': () => answered(), ...options.answers },
  })
const field = (name: string) => page.getByLabelText(name, { exact: true })
const send = () => page.getByRole('button', { name: starting(words.send) })
const answer = () => page.getByRole('complementary', { name: words.answer })

describe('the console', () => {
  it('sends the values of the form to the chosen operation of the chosen profile', async () => {
    const { client } = await show('/app/channellist')
    await field('records').fill('20')
    await field('sort').selectOptions('1')
    await send().click()
    await expect
      .poll(() => client.inputs('console.call'))
      .toEqual([{ profileId: 'local', path: '/app/channellist', parameters: { records: 20, sort: 1 } }])
  })

  it('shows no secret that is typed, and offers none that the browser keeps', async () => {
    await show('/app/callback/setSignKey')
    await expect.element(field('signKey')).toHaveAttribute('type', 'password')
    await expect.element(field('signKey')).toHaveAttribute('autocomplete', 'new-password')
  })

  it('sends with Ctrl and Enter from a field', async () => {
    const { client } = await show('/app/channelstats')
    await field('cid').fill('c1')
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    await expect
      .poll(() => client.inputs('console.call'))
      .toEqual([{ profileId: 'local', path: '/app/channelstats', parameters: { cid: 'c1' } }])
  })

  it('does not send what the contract refuses, says what is wrong, and sends it where checking is off', async () => {
    const { client } = await show('/app/channellist')
    await field('records').fill('none')
    await expect.element(page.getByText(words.fault.integer)).toBeVisible()
    await send().click()
    await expect.element(page.getByText('1 value is not acceptable')).toBeVisible()
    expect(client.inputs('console.call')).toEqual([])
    await page.getByRole('switch', { name: words.check }).click()
    await send().click()
    await expect
      .poll(() => client.inputs('console.call').map(({ parameters }) => parameters))
      .toEqual([{ records: 'none' }])
  })

  it('says of a value that is missing only after it was sent', async () => {
    const { client } = await show('/app/channelstats')
    expect(page.getByText(words.fault.empty).query()).toBeNull()
    await send().click()
    await expect.element(page.getByText(words.fault.empty)).toBeVisible()
    expect(client.inputs('console.call')).toEqual([])
  })

  it('cannot send while the service is down', async () => {
    const { tell } = await show('/app/channelstats')
    await tell(service('restarting'))
    await expect.element(send()).toHaveAttribute('aria-disabled', 'true')
  })

  it('shows the code of the answer with its sentence, and marks it among those that could have come', async () => {
    await show('/app/channelstats', {
      answers: { 'console.call': () => answered({ code: 617, answer: '{"code": 617}' }) },
    })
    await field('cid').fill('c1')
    await send().click()
    await expect.element(answer().getByText(words.refused)).toBeVisible()
    await expect.element(answer().getByText(errorTable[617].sentence.en).first()).toBeVisible()
    await expect.element(answer().getByText(starting('HTTP 200 · 12 ms'))).toBeVisible()
  })

  it('says where an answer breaks the contract', async () => {
    await show('/app/channelstats', { answers: { 'console.call': () => answered({ fault: 'ret is missing' }) } })
    await field('cid').fill('c1')
    await send().click()
    await expect.element(answer().getByText(words.breaks.replace('{fault}', 'ret is missing'))).toBeVisible()
  })

  it('says why no call was made', async () => {
    await show('/app/channelstats', {
      answers: {
        'console.call': () => {
          throw failed({ kind: 'unreachable' })
        },
      },
    })
    await field('cid').fill('c1')
    await send().click()
    await expect.element(answer().getByRole('alert')).toBeVisible()
  })

  it('shows what went out: headers, body, and the same call for a shell', async () => {
    await show('/app/channelstats')
    const request = page.getByRole('region', { name: words.request })
    await expect.element(request.getByText(words.before)).toBeVisible()
    await field('cid').fill('c1')
    await send().click()
    await expect.element(request.getByText(words.signed)).toBeVisible()
    await request.getByRole('tab', { name: words.parts.body }).click()
    await expect.element(request.getByText('{"cid":"c1"}')).toBeVisible()
    await userEvent.keyboard('{ArrowRight}')
    await expect.element(request.getByText('curl -H "CheckSum: $SUM"')).toBeVisible()
    await request.getByRole('button', { name: words.copy.replace('{part}', words.parts.curl) }).click()
    await expect.poll(() => navigator.clipboard.readText()).toBe('curl -H "CheckSum: $SUM"')
  })

  it('takes the values of an earlier call again', async () => {
    const { router } = await show('/app/channelstats')
    await field('cid').fill('c1')
    await send().click()
    await expect.element(answer().getByText(words.done)).toBeVisible()
    await field('cid').fill('c2')
    await answer()
      .getByRole('button', { name: starting(words.history) })
      .click()
    await answer().getByRole('button', { name: 'Take these values again: /app/channelstats, 200' }).click()
    await expect.element(field('cid')).toHaveValue('c1')
    expect(router.currentRoute.value.path).toBe('/console/app/channelstats')
  })

  it('keeps what was entered for each operation, and forgets it on request', async () => {
    const { router } = await show('/app/channelstats')
    await field('cid').fill('c1')
    await router.push('/console/app/channellist')
    await field('records').fill('5')
    await router.push('/console/app/channelstats')
    await expect.element(field('cid')).toHaveValue('c1')
    await page.getByRole('button', { name: words.reset }).click()
    await expect.element(field('cid')).toHaveValue('')
  })

  it('saves values under a name without secrets, uses and forgets them', async () => {
    await show('/app/callback/setSignKey')
    await field('signKey').fill('a secret')
    await page.getByRole('textbox', { name: words.exampleName }).fill('first')
    await page.getByRole('button', { name: words.save, exact: true }).click()
    await page.getByRole('button', { name: words.use.replace('{name}', 'first') }).click()
    await expect.element(field('signKey')).toHaveValue('')
    await page.getByRole('button', { name: words.forget.replace('{name}', 'first') }).click()
    await expect.element(page.getByText(words.examplesEmpty)).toBeVisible()
  })

  it('has rows for a list: added, taken out, and several by one paste', async () => {
    const { client } = await show('/app/channellist/pause')
    const row = (n: number) => page.getByLabelText(words.row.replace('{name}', 'cidList').replace('{n}', String(n)))
    await row(1).fill('c1')
    await page.getByRole('button', { name: words.add }).click()
    await expect.element(row(2)).toHaveFocus()
    await navigator.clipboard.writeText('c2\nc3')
    await userEvent.paste()
    await expect.element(row(3)).toHaveValue('c3')
    await page.getByRole('button', { name: words.takeOut.replace('{n}', '2') }).click()
    await send().click()
    await expect
      .poll(() => client.inputs('console.call').map(({ parameters }) => parameters))
      .toEqual([{ cidList: ['c1', 'c3'] }])
  })

  it('has the extension operations for this computer only', async () => {
    await show('')
    const list = page.getByRole('navigation', { name: words.operations })
    await expect.element(list.getByRole('button', { name: starting(words.groups.local) })).toBeVisible()
  })

  it('hides the extension operations of a hosted profile, and calls that one', async () => {
    const { client } = await show('/app/channelstats', { profile: 'hosted-1' })
    const list = page.getByRole('navigation', { name: words.operations })
    await expect.element(list.getByRole('button', { name: starting(words.groups.live) })).toBeVisible()
    expect(list.getByRole('button', { name: starting(words.groups.local) }).query()).toBeNull()
    await field('cid').fill('c1')
    await send().click()
    await expect.poll(() => client.inputs('console.call').map(({ profileId }) => profileId)).toEqual(['hosted-1'])
  })

  it('finds operations by a code or a parameter, and says when there is none', async () => {
    await show('')
    const list = page.getByRole('navigation', { name: words.operations })
    await list.getByRole('searchbox').fill('ofield')
    await expect.element(list.getByRole('link', { name: 'channellist' })).toBeVisible()
    await list.getByRole('searchbox').fill('no such thing')
    await expect.element(list.getByText(starting(words.none.replace('{query}', 'no such thing')))).toBeVisible()
    await list.getByRole('button', { name: words.clear }).click()
    await expect.element(list.getByRole('searchbox')).toHaveValue('')
  })

  it('asks for an operation before one is chosen', async () => {
    await show('')
    await expect.element(page.getByText(words.choose)).toBeVisible()
    expect(send().query()).toBeNull()
  })

  it('goes back to the operation that was looked at last', async () => {
    const { router } = await show('/app/channelstats')
    await router.push('/console')
    await expect.poll(() => router.currentRoute.value.path).toBe('/console/app/channelstats')
  })

  it('keeps the last answer of each operation, and shows none of another one', async () => {
    const { router } = await show('/app/channelstats')
    await field('cid').fill('c1')
    await send().click()
    await expect.element(answer().getByText(words.done)).toBeVisible()
    await router.push('/console/app/channellist')
    await expect.element(answer().getByText(words.noAnswer)).toBeVisible()
    await router.push('/console/app/channelstats')
    await expect.element(answer().getByText(words.done)).toBeVisible()
  })

  it('takes no answer that comes when another operation is chosen, but keeps it', async () => {
    const gate = Promise.withResolvers<ApiCall>()
    const { router } = await show('/app/channelstats', { answers: { 'console.call': () => gate.promise } })
    await field('cid').fill('c1')
    await send().click()
    await router.push('/console/app/channellist')
    gate.resolve(answered())
    await expect
      .element(answer().getByRole('button', { name: starting(words.history) }))
      .toHaveTextContent(`${words.history}1`)
    await expect.element(answer().getByText(words.noAnswer)).toBeVisible()
  })

  it('is sent once while it is under way', async () => {
    const gate = Promise.withResolvers<ApiCall>()
    const { client } = await show('/app/channelstats', { answers: { 'console.call': () => gate.promise } })
    await field('cid').fill('c1')
    await userEvent.keyboard('{Enter}{Control>}{Enter}{/Control}')
    gate.resolve(answered())
    await expect.element(answer().getByText(words.done)).toBeVisible()
    expect(client.inputs('console.call')).toHaveLength(1)
  })

  it('says no longer what is missing once it is reset', async () => {
    await show('/app/channelstats')
    await send().click()
    await expect.element(page.getByText(words.fault.empty)).toBeVisible()
    await page.getByRole('button', { name: words.reset }).click()
    await expect.element(page.getByText(words.fault.empty)).not.toBeInTheDocument()
  })

  it('sends what is not entered as little as what was emptied again', async () => {
    const { client } = await show('/app/channellist')
    await field('records').fill('5')
    await field('records').fill('')
    await send().click()
    await expect.poll(() => client.inputs('console.call').map(({ parameters }) => parameters)).toEqual([{}])
  })

  it('says that an operation has no parameters, and on what it acts', async () => {
    await show('/app/channelstats', { profile: 'hosted-1' })
    await expect.element(page.getByText(`${words.actsOn} Harbour production`)).toBeVisible()
    expect(page.getByText(words.noParameters).query()).toBeNull()
  })

  it('asks for an operation where the address has one that there is not', async () => {
    await show('/app/no/such')
    await expect.element(page.getByText(words.choose)).toBeVisible()
  })
})
