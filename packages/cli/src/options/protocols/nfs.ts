import type { NfsOptions } from '@retriever/fetchers'
import { usageError } from '../../exit-codes.ts'
import { readPort } from '../numbers.ts'
import { connecting, type GivenOptions, type OptionRow } from '../option.ts'

export type NfsOption = 'nfs-uid' | 'nfs-gid' | 'nfs-mount-port'

export const nfsOptions: readonly OptionRow<NfsOption>[] = [
  {
    long: 'nfs-uid',
    sets: ['nfs.uid'],
    sent: true,
    arg: 'UID',
    help: 'Tell NFS servers this user number, without proof; by default they are told none, or nobody (65534)',
    commands: connecting,
    example: 'retrieve --nfs-uid 1000 nfs://nfs.example.org/home/alice/notes.txt',
  },
  {
    long: 'nfs-gid',
    sent: true,
    arg: 'GID',
    help: 'Tell NFS servers this group number beside --nfs-uid; default: the same number',
    commands: connecting,
    example: 'retrieve --nfs-uid 1000 --nfs-gid 100 nfs://nfs.example.org/home/alice/notes.txt',
  },
  {
    long: 'nfs-mount-port',
    sets: ['nfs.mountPort'],
    sent: true,
    arg: 'PORT',
    help: "The port of an NFS server's MOUNT service, so that its portmapper is not asked",
    commands: connecting,
    example: 'retrieve --nfs-mount-port 20048 nfs://nfs.example.org/srv/file',
  },
]

export function readNfs(line: GivenOptions<NfsOption>): NfsOptions {
  const port = line.value('nfs-mount-port')
  return {
    ...readId(line, 'nfs-uid', 'uid'),
    ...readId(line, 'nfs-gid', 'gid'),
    ...(port !== undefined && { mountPort: readPort('nfs-mount-port', port) }),
  }
}

function readId(line: GivenOptions<NfsOption>, option: 'nfs-uid' | 'nfs-gid', name: 'uid' | 'gid'): NfsOptions {
  const text = line.value(option)
  if (text === undefined) return {}
  if (name === 'gid' && line.value('nfs-uid') === undefined) throw usageError('--nfs-gid needs --nfs-uid beside it.')
  if (/^\d{1,10}$/.test(text) && Number(text) < 2 ** 32) return { [name]: Number(text) }
  throw usageError(`--${option} needs a number from 0 to 4294967295, not ${JSON.stringify(text)}.`)
}
