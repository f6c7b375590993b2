import { visitPath, type VisitPlan, type VisitReport } from '../../contract/watch.ts'
import { checkChat, checkFlv, checkHls } from './check-steps.ts'
import { sayCheck } from './check-words.ts'
import { element } from './element.ts'
import { followTheme } from './theme.ts'
import { language } from './words.ts'
import '../styles/not-started.css'
import '../styles/tokens.css'
import './watch.css'
import './check.css'

const at = location.pathname.lastIndexOf(visitPath)
const root = location.pathname.slice(0, at)
const mark = location.pathname.slice(at + visitPath.length)
const post = (step: 'begin' | 'step', body?: VisitReport): Promise<Response> =>
  fetch(`${root}${visitPath}${mark}/${step}`, {
    method: 'POST',
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })

/** The page of a visit from outside: measures each step and reports it. */
async function main(): Promise<void> {
  const loaded = Math.round(performance.now())
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en'
  document.title = sayCheck('title')
  followTheme()
  document.querySelector('.not-started')?.remove()
  // The mark is for one use; it does not stay in the address bar.
  history.replaceState(null, '', `${root}${visitPath}`)
  const note = element('p', { class: 'check-note', role: 'status' }, sayCheck('running'))
  const list = element('ol', { class: 'check-steps' })
  document.body.append(element('main', { class: 'check-page' }, element('h1', {}, sayCheck('title')), note, list))

  const answer = await post('begin').catch(() => undefined)
  if (!answer?.ok) {
    note.textContent = sayCheck('used')
    note.setAttribute('role', 'alert')
    return
  }
  const plan = (await answer.json()) as VisitPlan
  const began = performance.now()
  const clock = (): number => plan.time + (performance.now() - began)
  const rows = new Map(
    (['address', 'page', 'chat', 'hls', 'flv'] as const).map((name) => {
      const state = element('span', { class: 'check-state' }, sayCheck('waiting'))
      list.append(element('li', { 'data-step': name }, element('span', {}, sayCheck(name)), state))
      return [name, state] as const
    }),
  )
  const show = ({ name, state, reason }: Pick<VisitReport, 'name' | 'state' | 'reason'>): void => {
    const row = rows.get(name)
    row?.replaceChildren(sayCheck(reason === 'closed' ? 'closed' : state))
    row?.parentElement?.setAttribute('data-state', state)
  }
  const report = async (told: VisitReport): Promise<void> => {
    show(told)
    // What is not told counts as a step that did not end.
    await post('step', told).catch(() => undefined)
  }
  show({ name: 'address', state: 'passed' })
  await report({ name: 'page', state: 'passed', milliseconds: loaded })
  const link = new URL(`${root}${plan.link}`, location.href)
  link.protocol = link.protocol.replace('http', 'ws')
  await report({ name: 'chat', ...(await checkChat(link.href)) })
  for (const name of ['hls', 'flv'] as const) {
    if (plan.closed) await report({ name, state: 'skipped', reason: 'closed' })
    else if (!plan.live) await report({ name, state: 'skipped', reason: 'offAir' })
    else if (name === 'hls') await report({ name, ...(await checkHls(root + plan.hls, clock)) })
    else await report({ name, ...(await checkFlv(root + plan.flv)) })
  }
  note.textContent = sayCheck('done')
}

main().catch(() => undefined)
