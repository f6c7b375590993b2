import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { spellingsOf } from '../companion/support/spellings.ts'

/** Texts in which secrets are searched for, by the names of their places. */
export type Places = readonly (readonly [place: string, text: string])[]

/** All files below a folder, which is called by a name. */
export const filesOf = (name: string, root: string): Places =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => [
      join(each.parentPath, each.name).replace(root, name),
      readFileSync(join(each.parentPath, each.name), 'utf8'),
    ])

/** Command lines and environments of a process and of all that it began. */
export function processesOf(pid: number): Places {
  if (!existsSync(`/proc/${pid}/task`)) return []
  const own = ['cmdline', 'environ'].map(
    (what) => [`${what} of ${pid}`, readFileSync(`/proc/${pid}/${what}`, 'utf8')] as const,
  )
  const below = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
  )
  return [...own, ...below.flatMap((each) => processesOf(Number(each)))]
}

/** Makes a search for secrets in every encoding; it tells which is where. */
export function searchFor(secrets: Places): (places: Places) => string[] {
  const spelled = secrets.map(([name, secret]) => [name, spellingsOf(secret)] as const)
  return (places) =>
    places.flatMap(([place, text]) =>
      spelled.flatMap(([name, each]) =>
        each.some((spelling) => text.includes(spelling)) ? [`${name} in ${place}`] : [],
      ),
    )
}
