import { accessSync, constants, readFileSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import path from 'node:path'

/** Name of a user of this computer; the number where it has none here. */
export function userName(uid: number): string {
  if (uid === process.getuid?.()) return userInfo().username
  try {
    const line = readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((one) => one.split(':')[2] === String(uid))
    return line?.split(':')[0] ?? String(uid)
  } catch {
    return String(uid)
  }
}

const may = (place: string, mode: number): boolean => {
  try {
    accessSync(place, mode)
    return true
  } catch (error) {
    return !['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')
  }
}
const { R_OK, W_OK, X_OK } = constants

/** What refuses this user on the way to a place, from the root on, and whose it is; undefined where nothing does. */
function refusing(place: string): { readonly at: string; readonly owner: number } | undefined {
  const steps = place.split(path.sep).map((_name, index, names) => names.slice(0, index + 1).join(path.sep) || path.sep)
  for (const [index, at] of steps.entries()) {
    const found = statSync(at, { throwIfNoEntry: false })
    if (!found) return undefined
    const refused = { at, owner: found.uid }
    if (found.isDirectory() && !may(at, X_OK)) return refused
    const next = steps[index + 1]
    const isLast = next === undefined || !statSync(next, { throwIfNoEntry: false })
    if (isLast && !may(at, R_OK | W_OK)) return refused
  }
  return undefined
}

/** A path in a command for a shell. */
const quoted = (place: string): string =>
  /^[\w./-]+$/.test(place) ? place : `'${place.replaceAll("'", String.raw`'\''`)}'`

/** What to do about a place in a folder that refuses this user, for root; undefined where nothing is found. */
export function deniedWords(
  folder: string,
  place: string,
):
  | { readonly user: string; readonly at: string; readonly owner: string; readonly command: string | undefined }
  | undefined {
  const uid = process.getuid?.()
  // Whatever refuses root, it is not the owner.
  if (uid === undefined || uid === 0) return undefined
  const found = refusing(path.resolve(place))
  if (!found) return undefined
  const [user, data] = [userName(uid), quoted(folder)]
  const isWithin = found.at === folder || found.at.startsWith(folder + path.sep)
  const isMissing = !isWithin && !statSync(folder, { throwIfNoEntry: false })
  return {
    user,
    at: found.at,
    owner: userName(found.owner),
    command: isWithin
      ? found.owner === uid
        ? `chmod -R u+rwX ${data}`
        : `chown -R ${user} ${data}`
      : isMissing
        ? `mkdir -p ${data} && chown ${user} ${data}`
        : undefined,
  }
}
