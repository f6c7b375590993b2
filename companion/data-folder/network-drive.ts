import { readFile } from 'node:fs/promises'
import path from 'node:path'

/** File systems that lie on another computer, as Linux names them. */
const remote =
  /^(nfs[0-9]*|cifs|smb[0-9]*|smbfs|9p|afs|ceph|coda|glusterfs|lustre|ncpfs|davfs[0-9]*|fuse\.(sshfs|glusterfs|rclone|davfs2?|gvfsd-fuse|s3fs|cephfs))$/

/** The file system of the mount that holds a path, read from /proc/self/mountinfo; undefined where it does not say. */
export function fileSystemOf(place: string, mounts: string): string | undefined {
  let found: { at: string; type: string } | undefined
  for (const line of mounts.split('\n')) {
    const [left = '', right = ''] = line.split(' - ')
    // Blanks in names are written as octal escapes.
    const at = left
      .split(' ')[4]
      ?.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))
    const type = right.split(' ')[0]
    if (!at || !type) continue
    // The last of several mounts at one place is the one that is seen.
    if ((at === '/' || place === at || place.startsWith(`${at}/`)) && at.length >= (found?.at.length ?? 0))
      found = { at, type }
  }
  return found?.type
}

/** Whether a path lies on a network drive, where the system tells: a share's own name on Windows, the mount on Linux. */
export async function isOnNetwork(
  place: string,
  platform: NodeJS.Platform = process.platform,
  mounts = (): Promise<string> => readFile('/proc/self/mountinfo', 'utf8').catch(() => ''),
): Promise<boolean> {
  if (platform === 'win32') return /^[\\/]{2}(?![?.][\\/][A-Za-z]:)/.test(path.win32.normalize(place))
  if (platform !== 'linux') return false
  return remote.test(fileSystemOf(place, await mounts()) ?? '')
}
