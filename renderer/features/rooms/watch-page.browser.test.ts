import { describe, expect, it, onTestFinished } from 'vitest'
import { page } from 'vitest/browser'
import { h, ref } from 'vue'
import { spoken } from '../../format/languages.ts'
import { makeService } from '../../testing/fake-state.ts'
import { began, mounted, service } from '../../testing/mounted.ts'
import { reachWithoutAddress, shareAnswers } from '../../testing/share-values.ts'
import { shareWords } from '../share/words.ts'
import WatchPage from './watch-page.vue'
import { roomListsWords } from './words-lists.ts'

const { link: words } = spoken(roomListsWords, 'en').roomLists
const { share } = spoken(shareWords, 'en')
const address = (cid: string): string => `http://127.0.0.1:8711/watch/${cid}`
const button = (name: string) => page.getByRole('button', { name, exact: true })

const show = async (options: Parameters<typeof mounted>[1] = {}) => {
  const cid = ref('c1')
  return {
    cid,
    ...(await mounted(
      { render: () => h(WatchPage, { cid: cid.value }) },
      { ...options, answers: { ...shareAnswers(), ...options.answers } },
    )),
  }
}

describe('the address of a watch page', () => {
  it('is copied by its button, which says so until it is another one', async () => {
    const { cid } = await show()
    await button(words.copyWatch).click()
    await expect.element(button(words.copied)).toBeVisible()
    await expect.element(page.getByRole('status')).toHaveTextContent(words.copied)
    expect(await navigator.clipboard.readText()).toBe(address('c1'))
    // Said for some seconds.
    await expect.element(button(words.copyWatch)).toBeVisible()
    await expect.element(page.getByRole('status')).toHaveTextContent('')
    await button(words.copyWatch).click()
    await expect.element(button(words.copied)).toBeVisible()
    cid.value = 'c2'
    await expect.element(button(words.copyWatch)).toBeVisible()
    await expect.element(page.getByRole('status')).toHaveTextContent('')
  })

  it('is shown where the browser does not copy it', async () => {
    const { writeText } = navigator.clipboard
    navigator.clipboard.writeText = () => Promise.reject(new Error('denied'))
    onTestFinished(() => {
      navigator.clipboard.writeText = writeText
    })
    await show()
    await button(words.copyWatch).click()
    await expect.element(page.getByText(words.failed.replace('{url}', address('c1')))).toBeVisible()
    expect(button(words.copied).query()).toBeNull()
  })

  it('is the public one where the service has one', async () => {
    const told = makeService(began, 'full')
    await show({
      answers: shareAnswers({}, { reach: 'proxy', url: 'https://stage.example', publicUrl: 'https://stage.example' }),
      events: [
        {
          type: 'service',
          service: { ...told, addresses: { ...told.addresses!, publicMedia: 'https://stage.example' } },
        },
      ],
    })
    await button(words.copyWatch).click()
    await expect.element(button(words.copied)).toBeVisible()
    expect(await navigator.clipboard.readText()).toBe('https://stage.example/watch/c1')
  })

  it.each([
    [shareAnswers({ closed: true }), share.link.offHere],
    [shareAnswers({}, reachWithoutAddress), share.link.missing.replace('{why}', share.why.noAddress)],
  ])('is not copied where it cannot work, which is said', async (answers, why) => {
    await navigator.clipboard.writeText('before')
    await show({ answers })
    await button(words.copyWatch).click()
    await expect.element(page.getByRole('status')).toHaveTextContent(why)
    expect(await navigator.clipboard.readText()).toBe('before')
    expect(button(words.copied).query()).toBeNull()
  })

  it('is opened by the shell of the desktop app', async () => {
    const { client } = await show({ about: { shell: 'electron' }, answers: { 'app.openLink': () => undefined } })
    await button(words.openWatch).click()
    await expect.poll(() => client.inputs('app.openLink')).toEqual([{ url: address('c1') }])
  })

  it('is not there for a hosted service', async () => {
    await show({ profile: 'hosted-1' })
    expect(page.getByRole('button').query()).toBeNull()
  })

  it('is there again when the service is', async () => {
    const { tell } = await show({
      events: [{ type: 'service', service: makeService(began, 'stopped') }],
    })
    expect(page.getByRole('button').query()).toBeNull()
    await tell(service('running'))
    await expect.element(button(words.openWatch)).toBeVisible()
  })
})
