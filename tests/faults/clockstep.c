/* Gives the process another wall clock: the real one moved by as many seconds as the file named in
   CLOCKSTEP_FILE holds (a 64-bit number, read anew at every look). The steady clock stays as it is. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static int64_t step(void){
  static volatile int64_t *seconds;
  if(!seconds){
    const char*name=getenv("CLOCKSTEP_FILE"); int f=name?open(name,O_RDONLY):-1; if(f<0) return 0;
    void*at=mmap(0,sizeof(int64_t),PROT_READ,MAP_SHARED,f,0); close(f);
    if(at==MAP_FAILED) return 0;
    seconds=at;
  }
  return *seconds;
}
int gettimeofday(struct timeval*restrict now,void*restrict zone){
  static int (*real)(struct timeval*,void*); if(!real) real=(int(*)(struct timeval*,void*))dlsym(RTLD_NEXT,"gettimeofday");
  int r=real(now,zone); if(r==0) now->tv_sec+=step(); return r;
}
int clock_gettime(clockid_t which,struct timespec*now){
  static int (*real)(clockid_t,struct timespec*); if(!real) real=(int(*)(clockid_t,struct timespec*))dlsym(RTLD_NEXT,"clock_gettime");
  int r=real(which,now); if(r==0&&(which==CLOCK_REALTIME||which==CLOCK_REALTIME_COARSE)) now->tv_sec+=step(); return r;
}
time_t time(time_t*out){
  struct timespec now; clock_gettime(CLOCK_REALTIME,&now); if(out) *out=now.tv_sec; return now.tv_sec;
}
