import { readFile } from 'node:fs/promises'
import path from 'node:path'

/** Network file systems of Linux. */
const remote =
  /^(nfs[0-9]*|cifs|smb[0-9]*|smbfs|9p|afs|ceph|coda|glusterfs|lustre|ncpfs|davfs[0-9]*|fuse\.(sshfs|glusterfs|rclone|davfs2?|gvfsd-fuse|s3fs|cephfs))$/

/** The file system type of a path's mount; undefined if unknown. */
export function fileSystemOf(place: string, mounts: string): string | undefined {
  let found: { at: string; type: string } | undefined
  for (const line of mounts.split('\n')) {
    const [left = '', right = ''] = line.split(' - ')
    // Spaces are octal escapes.
    const at = left
      .split(' ')[4]
      ?.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))
    const type = right.split(' ')[0]
    if (!at || !type) continue
    // Of several mounts at one place the last one is seen.
    if ((at === '/' || place === at || place.startsWith(`${at}/`)) && at.length >= (found?.at.length ?? 0))
      found = { at, type }
  }
  return found?.type
}

/** Whether a path is on a network drive, where the system tells. */
export async function isOnNetwork(
  place: string,
  platform: NodeJS.Platform = process.platform,
  mounts = (): Promise<string> => readFile('/proc/self/mountinfo', 'utf8').catch(() => ''),
): Promise<boolean> {
  if (platform === 'win32') return /^[\\/]{2}(?![?.][\\/][A-Za-z]:)/.test(path.win32.normalize(place))
  if (platform !== 'linux') return false
  return remote.test(fileSystemOf(place, await mounts()) ?? '')
}
