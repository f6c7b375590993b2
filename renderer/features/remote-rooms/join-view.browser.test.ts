import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { mounted } from '../../testing/mounted.ts'
import JoinView from './join-view.vue'
import { spoken } from '../../format/languages.ts'
import { joiningWords } from './words.ts'

const joiningEn = spoken(joiningWords, 'en')
const joiningZh = spoken(joiningWords, 'zh')

const { joining: words } = joiningEn
const asked = `?host=studio.example.com:8443&accid=mei&code=code-1234&fp=${'a1'.repeat(32)}`
const show = (path: string, options: Parameters<typeof mounted>[1] = {}) =>
  mounted(JoinView, { path, events: [{ type: 'joined', seats: [] }], ...options })
const link = () => page.getByLabelText(words.form.link, { exact: true })

describe('the screen of rooms on other computers', () => {
  it.each([
    ['en', words],
    ['zh', joiningZh.joining],
  ] as const)('shows the rooms, and below them how to join one, in %s', async (language, each) => {
    await show('/join', { language })
    await expect.element(page.getByRole('heading', { level: 1 })).toMatchTextContent(each.title)
    await expect.element(page.getByText(each.none)).toBeVisible()
    await expect.element(page.getByRole('heading', { name: each.form.title })).toBeVisible()
  })

  it('fills the form with the invitation of its address, and takes the code out of the address', async () => {
    const { client, router } = await show(`/join${asked}`)
    await expect.element(link()).toHaveValue(`sidestage://join${asked}`)
    await expect.element(page.getByLabelText(words.form.code, { exact: true })).toHaveValue('code-1234')
    await expect.poll(() => router.currentRoute.value.fullPath).toBe('/join')
    expect(client.inputs('joined.join')).toEqual([])
  })

  it('takes an invitation that comes while it is shown', async () => {
    const { router } = await show('/join')
    await expect.element(link()).toHaveValue('')
    await router.push(`/join${asked}`)
    await expect.element(link()).toHaveValue(`sidestage://join${asked}`)
    await expect.poll(() => router.currentRoute.value.fullPath).toBe('/join')
  })

  it('fills in nothing of an address that is no invitation', async () => {
    const { router } = await show('/join?host=studio.example.com')
    await expect.element(link()).toHaveValue('')
    await expect.poll(() => router.currentRoute.value.fullPath).toBe('/join')
  })
})
