/**
 * The WHATWG "bad ports" (https://fetch.spec.whatwg.org/#port-blocking): their protocols could be made to obey a
 * crafted URL. The code that uses this list allows a scheme's own ports. Port 0 cannot be connected to.
 */
export const foreignPorts: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
])

/** What the best-known of these ports are for, in words that fit "Port 25 is for mail". */
const portServices: readonly (readonly [service: string, ports: readonly number[]])[] = [
  ['FTP', [20, 21, 989, 990]],
  ['SSH', [22]],
  ['Telnet', [23]],
  ['mail', [25, 109, 110, 143, 465, 587, 993, 995, 4190]],
  ['names of hosts (DNS)', [53]],
  ['TFTP', [69]],
  ['Finger', [79]],
  ['News', [119, 563]],
  ['LDAP', [389, 636]],
  ['remote logins', [512, 513]],
  ['printers', [515]],
  ['files of this network', [111, 137, 139, 548, 2049]],
  ['streams (RTSP)', [554]],
  ['rsync', [873]],
  ['Docker', [2375]],
  ['a database', [2379, 3306, 5432, 6379, 9200, 11211, 27017]],
  ['calls (SIP)', [5060, 5061]],
  ['screens', [5900, 6000]],
  ['chat (IRC)', [6665, 6666, 6667, 6668, 6669, 6697]],
]

/** What a port is for: "mail" for 25; "another protocol" if the list does not know it. */
export function portService(port: number): string {
  return portServices.find(([, ports]) => ports.includes(port))?.[0] ?? 'another protocol'
}

/**
 * Further ports, for schemes whose URL dictates the first octets sent. Their services obey one line and send no
 * greeting: rsync, Docker, etcd, MySQL, PostgreSQL, VNC, Redis, FastCGI, Elasticsearch, Zabbix, memcached, MongoDB and
 * their kind.
 */
export const databasePorts: ReadonlySet<number> = new Set([
  873, 2375, 2379, 3306, 5432, 5900, 6379, 8125, 9000, 9200, 10050, 11211, 27017,
])
