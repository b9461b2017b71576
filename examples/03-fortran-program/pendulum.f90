! The angle of a damped pendulum, measured ten times, every 0.7 s.
!   pendulum LENGTH DAMPING SEED FILE
! angle'' = -g / LENGTH sin(angle) - DAMPING angle', released from 1 rad.
program pendulum
  implicit none
  integer, parameter :: dp = kind(1.0d0), measurements = 10, steps = 35
  real(dp), parameter :: gravity = 9.81_dp, error = 0.05_dp, dt = 0.7_dp / steps
  real(dp) :: length, damping, state(2), k1(2), k2(2), k3(2), k4(2)
  integer :: i, j, unit
  character(len=1000) :: argument

  call get_command_argument(1, argument); read (argument, *) length
  call get_command_argument(2, argument); read (argument, *) damping
  call get_command_argument(3, argument); call start_noise(argument)
  call get_command_argument(4, argument)
  open (newunit=unit, file=argument, action='write')
  state = [1.0_dp, 0.0_dp]
  do i = 1, measurements
    do j = 1, steps  ! the Runge-Kutta method
      k1 = slope(state)
      k2 = slope(state + dt / 2 * k1)
      k3 = slope(state + dt / 2 * k2)
      k4 = slope(state + dt * k3)
      state = state + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    end do
    write (unit, '(es24.16)') state(1) + error * normal()
  end do
  close (unit)

contains

  function slope(s)
    real(dp), intent(in) :: s(2)
    real(dp) :: slope(2)
    slope = [s(2), -gravity / length * sin(s(1)) - damping * s(2)]
  end function

  ! The seed has up to 53 bits: two default integers.
  subroutine start_noise(text)
    character(len=*), intent(in) :: text
    integer, parameter :: wide = selected_int_kind(18)
    integer(wide) :: seed
    integer, allocatable :: numbers(:)
    integer :: n, k
    read (text, *) seed
    call random_seed(size=n)
    allocate (numbers(n))
    do k = 1, n
      numbers(k) = int(mod(seed / merge(1_wide, 2_wide**27, mod(k, 2) == 1), 2_wide**27))
    end do
    call random_seed(put=numbers)
  end subroutine

  function normal()
    real(dp), parameter :: two_pi = 6.283185307179586_dp
    real(dp) :: normal, u(2)
    call random_number(u)
    normal = sqrt(-2 * log(1 - u(1))) * cos(two_pi * u(2))
  end function
end program
