import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { h, ref } from 'vue'
import { spoken } from '../../format/languages.ts'
import { mounted } from '../../testing/mounted.ts'
import PeopleField from './people-field.vue'
import TeamWho from './team-who.vue'
import { maxTeamCall } from '../../../contract/operations/teams.ts'
import { messagingWords } from './words.ts'

const { messaging: words } = spoken(messagingWords, 'en')

const show = async (first: readonly string[] = [], tried = false) => {
  const people = ref(first)
  const isTried = ref(tried)
  await mounted({
    render: () =>
      h(PeopleField, {
        label: 'Who',
        most: 3,
        tried: isTried.value,
        modelValue: people.value,
        'onUpdate:modelValue': (now: readonly string[]) => (people.value = now),
      }),
  })
  return { people, isTried }
}
const field = () => page.getByRole('textbox', { name: 'Who' })

describe('a field of accounts', () => {
  it('takes them with whatever stands between them, each once, in small letters', async () => {
    const { people } = await show()
    await field().fill(' Mei,tom;lee  mei，tom；lee、MEI ')
    expect(people.value).toEqual(['mei', 'tom', 'lee'])
    expect(page.getByText(words.people.help).query()).not.toBeNull()
  })

  it('has those that it begins with', async () => {
    await show(['mei', 'tom'])
    await expect.element(field()).toHaveValue('mei, tom')
  })

  it('names what is no account, and has nobody then', async () => {
    const { people } = await show(['mei'])
    await field().fill('mei two! lee')
    await expect.element(page.getByText(words.people.fault.replace('{name}', 'two!'))).toBeVisible()
    expect(people.value).toEqual([])
    await field().fill('x'.repeat(33))
    await expect.element(page.getByText(words.people.fault.replace('{name}', 'x'.repeat(33)))).toBeVisible()
    await field().fill('x'.repeat(32))
    expect(people.value).toEqual(['x'.repeat(32)])
  })

  it('takes as many as are allowed, and no more', async () => {
    const { people } = await show()
    await field().fill('a b c')
    expect(people.value).toEqual(['a', 'b', 'c'])
    await field().fill('a b c d')
    await expect.element(page.getByText(words.people.most.replace('{n}', '3'))).toBeVisible()
    expect(people.value).toEqual([])
  })

  it('says that somebody is needed only once it was tried without', async () => {
    const { isTried } = await show()
    const needed = page.getByText(words.people.needed)
    expect(needed.query()).toBeNull()
    isTried.value = true
    await expect.element(needed).toBeVisible()
    await field().fill('mei')
    await expect.element(needed).not.toBeInTheDocument()
  })
})

describe('who comes into a team', () => {
  it('has a text only for an invitation', async () => {
    const how = ref<'0' | '1'>('0')
    await mounted({
      render: () =>
        h(TeamWho, {
          members: [],
          magree: how.value,
          msg: 'hello',
          tried: false,
          'onUpdate:magree': (now: '0' | '1') => (how.value = now),
        }),
    })
    const text = page.getByRole('textbox', { name: words.teams.msg })
    await expect.element(page.getByRole('radio', { name: words.teams.atOnce })).toBeChecked()
    expect(text.query()).toBeNull()
    await page.getByRole('radio', { name: words.teams.invite }).click()
    expect(how.value).toBe('1')
    await expect.element(text).toHaveValue('hello')
    await expect.element(text).toHaveAttribute('maxlength', '150')
  })

  it('are at most as many as the service takes in one call', async () => {
    await mounted({ render: () => h(TeamWho, { members: [], magree: '0', msg: '', tried: false }) })
    const many = (count: number): string => Array.from({ length: count }, (_, index) => `m${index}`).join(' ')
    const most = page.getByText(words.people.most.replace('{n}', String(maxTeamCall.members)))
    const members = page.getByRole('textbox', { name: words.teams.members })
    await members.fill(many(maxTeamCall.members))
    expect(most.query()).toBeNull()
    await members.fill(many(maxTeamCall.members + 1))
    await expect.element(most).toBeVisible()
  })
})
