import { mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { httpRequest } from '../../service/testing/http-request.ts'
import type { Probe } from './host.ts'

/** Where the folders of the scenarios are, below drives C and D. */
export const scenarioFolder = 'Sidestage 测试'

/** What a scenario has: a folder of its own on drive C, and the host's encoder and ffprobe. */
export interface Stage {
  readonly folder: string
  /** One more on drive D. */
  readonly otherDrive: string
  /** Publishes a real encode of some seconds in real time; resolves at its end with what was sent. */
  push(url: string, seconds: number): Promise<Probe>
  /** Publishes until the service ends the connection; `end` resolves then. */
  pushOn(url: string): { readonly end: Promise<void> }
  probe(file: string): Promise<Probe>
  /** What is done at the end, however it came, last first. */
  after(work: () => Promise<void> | void): void
}

/** One thing that must hold; it throws when it does not. */
export interface Scenario {
  readonly name: string
  run(stage: Stage): Promise<void>
}

/** Waits for something, looking every 50 ms; throws after `patience` ms. */
export async function until<T>(
  what: string | (() => string),
  look: () => T | undefined | false | null | Promise<T | undefined | false | null>,
  patience = 150_000,
): Promise<T> {
  for (const end = performance.now() + patience; ;) {
    const found = await look()
    if (found !== undefined && found !== false && found !== null) return found
    if (performance.now() > end)
      throw new Error(`not within ${patience / 1000} s: ${typeof what === 'string' ? what : what()}`)
    await new Promise((resolve) => {
      setTimeout(resolve, 50)
    })
  }
}

/** How long a scenario may take, in ms. */
const longest = 300_000

async function ask<T>(host: string, path: string, body: object): Promise<T> {
  // Not `fetch`, whose connections Wine refuses.
  const { status, text } = await httpRequest(host + path, { body: JSON.stringify(body) })
  if (status !== 200) throw new Error(`${path}: ${text}`)
  return JSON.parse(text) as T
}

/** Runs a scenario in a folder with blanks and Chinese in its name, and cleans up. Rejects with what did not hold. */
export async function runScenario(
  scenario: Scenario,
  place: { readonly base: string; readonly host: string; readonly index: number },
): Promise<void> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`not at its end after ${longest / 1000} s`)), longest)
  try {
    await Promise.race([playScenario(scenario, place), late.promise])
  } finally {
    clearTimeout(timer)
  }
}

async function playScenario(
  scenario: Scenario,
  place: { readonly base: string; readonly host: string; readonly index: number },
): Promise<void> {
  const folder = path.join(place.base, `第 ${place.index} 场`)
  const otherDrive = `D:${folder.slice(2)}`
  for (const one of [folder, otherDrive]) mkdirSync(one, { recursive: true })
  const ends: (() => Promise<void> | void)[] = []
  try {
    await scenario.run({
      folder,
      otherDrive,
      push: (url, seconds) => ask<Probe>(place.host, '/push', { url, seconds }),
      pushOn: (url) => {
        const ended = (): undefined => undefined
        // ffmpeg names the lost connection as a fault, which is what is waited for.
        return { end: ask(place.host, '/push', { url, seconds: null }).then(ended, ended) }
      },
      probe: (file) => ask<Probe>(place.host, '/probe', { file }),
      after: (work) => ends.unshift(work),
    })
  } finally {
    for (const end of ends) await end()
    for (const one of [folder, otherDrive]) rmSync(one, { recursive: true, force: true, maxRetries: 10 })
  }
}
