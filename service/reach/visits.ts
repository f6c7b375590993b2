import { createHash, timingSafeEqual } from 'node:crypto'
import { visitSteps } from '../../contract/operations/reach.ts'
import type { Clock } from '../../platform/clock.ts'
import { visitFor } from '../access/players.ts'

/** A step of a visit. */
export type VisitStep = (typeof visitSteps)[number]
const stepStates = ['waiting', 'passed', 'failed', 'skipped'] as const
const reportedStates = ['passed', 'failed', 'skipped'] as const
const stepReasons = ['timeout', 'refused', 'cutOff', 'offAir', 'closed'] as const
type StepState = (typeof stepStates)[number]
type StepReason = (typeof stepReasons)[number]

/** What a page reports of one step. */
export interface StepReport {
  readonly name: VisitStep
  readonly state: StepState
  readonly milliseconds?: number
  readonly reason?: StepReason
}
/** A visit as answers and events have it. */
export interface VisitFacts {
  readonly visitId: string
  readonly state: 'waiting' | 'running' | 'done' | 'expired'
  readonly expires: number
  readonly began?: number
  readonly by?: 'phone' | 'tablet' | 'computer' | 'other'
  readonly outside?: boolean
  readonly steps: readonly StepReport[]
}
/** Who opens the address of a mark. */
export interface Visitor {
  readonly cookie: string | undefined
  readonly agent: string
  readonly outside: boolean
  /** The proxy that is taken for the visitor. */
  readonly untrusted?: string | undefined
}

/** Life of a mark, in ms. */
const life = 10 * 60_000
/** Visits that are kept. */
const kept = 20
/** Reports of one visit. */
const maxReports = 32
const markBytes = 16
const markShape = /^[A-Za-z0-9_-]{22}$/
/** Cookie that binds a visit to its browser. */
export const visitCookie = 'sidestage_check'

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

interface Visit {
  readonly uid: number
  readonly cid: string
  readonly mark: Buffer
  facts: VisitFacts
  browser: Buffer | undefined
  untrusted?: string | undefined
  reports: number
  readonly cancel: () => void
  cancelRun?: () => void
}

/** The kind of device that a browser says it is on. */
export function deviceOf(agent: string): NonNullable<VisitFacts['by']> {
  if (/iPad|Tablet|Android(?!.*Mobile)/i.test(agent)) return 'tablet'
  if (/iPhone|Mobi|Android/i.test(agent)) return 'phone'
  return /Windows|Macintosh|X11|Linux|CrOS/i.test(agent) ? 'computer' : 'other'
}

const isOneOf = <T extends string>(list: readonly T[], value: unknown): value is T => list.some((one) => one === value)

/** Reads a report; undefined when it is none. */
export function readReport(value: unknown): StepReport | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { name, state, milliseconds, reason } = value as Record<string, unknown>
  if (!isOneOf(visitSteps, name) || !isOneOf(reportedStates, state)) return undefined
  const isTime = Number.isInteger(milliseconds) && Number(milliseconds) >= 0 && Number(milliseconds) < 10 * 60_000
  return {
    name,
    state,
    ...(isTime && { milliseconds: Number(milliseconds) }),
    ...(isOneOf(stepReasons, reason) && { reason }),
  }
}

/** Visits from outside, in memory. */
export type Visits = ReturnType<typeof createVisits>

/** Makes them. `told` is called with each change. */
export function createVisits(options: {
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
  readonly told: (uid: number, cid: string, facts: VisitFacts, untrusted: string | undefined) => void
}) {
  const { clock, random, told } = options
  let visits: Visit[] = []

  const change = (visit: Visit, facts: Partial<VisitFacts>): void => {
    visit.facts = { ...visit.facts, ...facts }
    told(visit.uid, visit.cid, visit.facts, visit.untrusted)
  }
  const withStep = ({ facts: { steps } }: Visit, report: StepReport): StepReport[] =>
    steps.map((step) => (step.name === report.name ? report : step))
  const forget = (visit: Visit): void => {
    visit.cancel()
    visit.cancelRun?.()
  }
  const expire = (visit: Visit): void => {
    if (visit.facts.state === 'waiting') change(visit, { state: 'expired' })
  }
  /** The page went away before its end. */
  const giveUp = (visit: Visit): void => {
    if (visit.facts.state !== 'running') return
    const steps = visit.facts.steps.map((step) =>
      step.state === 'waiting' ? ({ name: step.name, state: 'failed', reason: 'timeout' } as const) : step,
    )
    change(visit, { state: 'done', steps })
  }
  const byMark = (mark: string): Visit | undefined => {
    if (!markShape.test(mark)) return undefined
    const asked = digest(mark)
    return visits.find((one) => timingSafeEqual(one.mark, asked))
  }
  const isBrowser = ({ browser }: Visit, cookie: string | undefined): boolean =>
    browser !== undefined && cookie !== undefined && timingSafeEqual(browser, digest(cookie))

  return {
    /** Makes a mark for a channel; it is told here alone. */
    start(uid: number, cid: string): { readonly mark: string; readonly facts: VisitFacts } {
      const mark = random(markBytes).toString('base64url')
      const visit: Visit = {
        uid,
        cid,
        mark: digest(mark),
        browser: undefined,
        reports: 0,
        cancel: clock.after(life, () => expire(visit)),
        facts: {
          visitId: random(8).toString('hex'),
          state: 'waiting',
          expires: clock.now() + life,
          steps: visitSteps.map((name) => ({ name, state: 'waiting' })),
        },
      }
      visits = [visit, ...visits]
      for (const old of visits.slice(kept)) forget(old)
      visits = visits.slice(0, kept)
      return { mark, facts: visit.facts }
    },
    list: (uid: number): VisitFacts[] => visits.filter((one) => one.uid === uid).map(({ facts }) => facts),
    /** Whether the page of a mark is given to a browser: it is not used yet, or by this browser. */
    isOpen(mark: string, cookie: string | undefined): boolean {
      const visit = byMark(mark)
      if (!visit) return false
      return visit.facts.state === 'waiting' || (visit.facts.state === 'running' && isBrowser(visit, cookie))
    },
    /** A value for the cookie that binds a browser. */
    cookie: () => random(markBytes).toString('base64url'),
    /** Begins the visit of a mark for its first browser; its channel, or undefined. */
    begin(mark: string, { cookie, agent, outside, untrusted }: Visitor): string | undefined {
      const visit = byMark(mark)
      if (visit?.facts.state !== 'waiting' || cookie === undefined) return undefined
      visit.browser = digest(cookie)
      visit.untrusted = untrusted
      visit.cancel()
      visit.cancelRun = clock.after(visitFor, () => giveUp(visit))
      change(visit, {
        state: 'running',
        began: clock.now(),
        by: deviceOf(agent),
        outside,
        steps: withStep(visit, { name: 'address', state: 'passed' }),
      })
      return visit.cid
    },
    /** Takes a report of the browser that began; false when it is refused. */
    report(mark: string, cookie: string | undefined, report: StepReport): boolean {
      const visit = byMark(mark)
      if (visit?.facts.state !== 'running' || !isBrowser(visit, cookie) || visit.reports >= maxReports) return false
      visit.reports += 1
      const steps = withStep(visit, report)
      const isDone = steps.every(({ state }) => state !== 'waiting')
      if (isDone) visit.cancelRun?.()
      change(visit, { steps, ...(isDone && { state: 'done' }) })
      return true
    },
    /** Whether a running visit of this browser is of a channel, which it may then watch. */
    admits: (cookie: string | undefined, cid: string): boolean =>
      cookie !== undefined &&
      visits.some((one) => one.cid === cid && one.facts.state === 'running' && isBrowser(one, cookie)),
    close() {
      for (const visit of visits) forget(visit)
    },
  }
}

/** Value of the cookie that binds a visit, from a Cookie header. */
export const readVisitCookie = (header: string | undefined): string | undefined =>
  new RegExp(`(?:^|;\\s*)${visitCookie}=([A-Za-z0-9_-]{22})(?:;|$)`).exec(header ?? '')?.[1]
